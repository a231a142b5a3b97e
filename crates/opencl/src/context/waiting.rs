//! Waiting for commands, also where OpenCL fails to.

use std::time::Duration;

use opencl3::command_queue::flush;
use opencl3::event::{CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE, Event, get_event_info};
use opencl3::types::{cl_command_queue, cl_int};

use crate::error::Result;
use crate::status::check;

/// Between two looks at a command that could not be waited for.
const PAUSE: Duration = Duration::from_micros(100);

/// Waits for a command. Also after an error it does not run any more: what it used may be freed.
pub fn wait_for_event(event: &Event) -> Result<()> {
    let result = check("clWaitForEvents", event.wait());
    if result.is_err() {
        outlast(event);
    }
    result
}

/// True if a command will not run any more. One in error (a negative status) does not either.
pub(super) fn is_complete(event: &Event) -> bool {
    get_event_info(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS)
        .map(|status| cl_int::from(status) <= CL_COMPLETE)
        .unwrap_or(true)
}

/// Waits without OpenCL's help: a driver that lacks the resources to wait may have them for everything else.
#[cold]
fn outlast(event: &Event) {
    if let Ok(queue) = get_event_info(event.get(), CL_EVENT_COMMAND_QUEUE) {
        // A command that has not been handed to the device would never end.
        let _ = flush(isize::from(queue) as cl_command_queue);
    }
    while !is_complete(event) {
        std::thread::sleep(PAUSE);
    }
}
