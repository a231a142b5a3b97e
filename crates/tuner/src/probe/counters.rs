//! Hardware counters of this process's threads, by Linux's perf_event_open.
//!
//! Each thread that is there has counters of its own, which threads that it starts inherit: drivers of CPU devices
//! keep theirs waiting between launches. A kernel without the call, a container that forbids it, and a processor
//! without the counter leave a value out.

/// Counts of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) cycles: Option<f64>,
    pub(super) instructions: Option<f64>,
    pub(super) cache_misses: Option<f64>,
}

/// Running counters.
pub(super) struct Counters {
    cycles: Option<platform::Events>,
    instructions: Option<platform::Events>,
    cache_misses: Option<platform::Events>,
}

impl Counters {
    pub(super) fn start() -> Self {
        let [cycles, instructions, cache_misses] =
            [platform::CYCLES, platform::INSTRUCTIONS, platform::CACHE_MISSES].map(platform::Events::start);
        Counters { cycles, instructions, cache_misses }
    }

    pub(super) fn stop(self) -> Counts {
        let [cycles, instructions, cache_misses] =
            [self.cycles, self.instructions, self.cache_misses].map(|events| events.and_then(|events| events.count()));
        Counts { cycles, instructions, cache_misses }
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::FromRawFd;

    /// Kind and number of an event, as the system's linux/perf_event.h has them.
    pub(super) type Event = (u32, u64);

    const HARDWARE: u32 = 0;
    pub(super) const CYCLES: Event = (HARDWARE, 0);
    pub(super) const INSTRUCTIONS: Event = (HARDWARE, 1);
    pub(super) const CACHE_MISSES: Event = (HARDWARE, 3);

    /// Bits of [`Attributes::flags`].
    const INHERIT: u64 = 1 << 1;
    const EXCLUDE_KERNEL: u64 = 1 << 5;
    const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
    /// Bits of [`Attributes::read_format`]: times for which the event was wanted, and had a counter.
    const TIMES: u64 = 1 | 1 << 1;
    const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;

    /// `struct perf_event_attr` in its first version, whose size the system is told.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        kind: u32,
        size: u32,
        config: u64,
        sample_period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup_events: u32,
        bp_type: u32,
        config1: u64,
    }

    /// An event in each thread.
    pub(super) struct Events(Vec<File>);

    impl Events {
        /// `None` where the event cannot be counted in every thread.
        pub(super) fn start(event: Event) -> Option<Self> {
            let mut events = Vec::new();
            for entry in std::fs::read_dir("/proc/self/task").ok()? {
                let thread: libc::pid_t = entry.ok()?.file_name().to_str()?.parse().ok()?;
                match open(event, thread) {
                    Ok(file) => events.push(file),
                    // A thread that has ended meanwhile.
                    Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                    Err(_) => return None,
                }
            }
            Some(Events(events))
        }

        /// Events so far, scaled up by the part of the time in which they had no counter.
        pub(super) fn count(mut self) -> Option<f64> {
            self.0.iter_mut().map(read).sum()
        }
    }

    fn open((kind, config): Event, thread: libc::pid_t) -> std::io::Result<File> {
        let mut attributes = Attributes {
            kind,
            size: size_of::<Attributes>() as u32,
            config,
            read_format: TIMES,
            flags: INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            ..Attributes::default()
        };
        let (any_processor, no_group): (libc::c_int, libc::c_int) = (-1, -1);
        // SAFETY: the attributes are as long as they say, and live over the call.
        let descriptor = unsafe {
            let attributes = &raw mut attributes;
            libc::syscall(libc::SYS_perf_event_open, attributes, thread, any_processor, no_group, CLOSE_ON_EXEC)
        };
        match libc::c_int::try_from(descriptor) {
            // SAFETY: the descriptor is new, and nobody else's.
            Ok(descriptor) if descriptor >= 0 => Ok(unsafe { File::from_raw_fd(descriptor) }),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    fn read(event: &mut File) -> Option<f64> {
        let mut bytes = [0; 24];
        event.read_exact(&mut bytes).ok()?;
        let number = |index: usize| u64::from_ne_bytes(bytes[8 * index..8 * index + 8].try_into().expect("8 bytes"));
        scaled(number(0), number(1), number(2))
    }

    /// A thread that never ran has no time and no events; one that ran without a counter has no count.
    pub(super) fn scaled(count: u64, wanted: u64, counted: u64) -> Option<f64> {
        match (wanted, counted) {
            (0, _) => Some(0.0),
            (_, 0) => None,
            _ => Some(count as f64 * (wanted as f64 / counted as f64)),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Time of threads, which the system counts without hardware.
        const TASK_CLOCK: Event = (1, 1);

        fn spin() {
            let start = std::time::Instant::now();
            while start.elapsed() < std::time::Duration::from_millis(20) {
                std::hint::spin_loop();
            }
        }

        #[test]
        fn events_of_all_threads_are_added() {
            let (begin, end) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
            let counted = std::thread::scope(|scope| {
                // A thread from before the measurement, and another that this one starts.
                scope.spawn(|| {
                    begin.wait();
                    std::thread::scope(|scope| drop(scope.spawn(spin)));
                    spin();
                    end.wait();
                });
                let events = Events::start(TASK_CLOCK);
                begin.wait();
                spin();
                end.wait();
                events.and_then(Events::count)
            });
            // A container may forbid the call.
            if let Some(nanoseconds) = counted {
                assert!(nanoseconds >= 25e6, "three threads spun 20 ms each: {nanoseconds}");
            }
        }

        #[test]
        fn counts_are_scaled_to_the_whole_time() {
            assert_eq!(scaled(500, 1000, 1000), Some(500.0));
            assert_eq!(scaled(500, 1000, 250), Some(2000.0));
            assert_eq!((scaled(0, 1000, 0), scaled(0, 0, 0)), (None, Some(0.0)));
        }

        #[test]
        fn events_that_no_processor_has_are_absent() {
            assert!(Events::start((77, 77)).is_none());
        }
    }
}

/// Other systems have no counters.
#[cfg(not(target_os = "linux"))]
mod platform {
    pub(super) const CYCLES: () = ();
    pub(super) const INSTRUCTIONS: () = ();
    pub(super) const CACHE_MISSES: () = ();

    pub(super) struct Events;

    impl Events {
        pub(super) fn start((): ()) -> Option<Self> {
            None
        }

        pub(super) fn count(self) -> Option<f64> {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_count_or_are_absent() {
        let counters = Counters::start();
        let sum: f64 = (0..1_000_000).map(|i| std::hint::black_box(f64::from(i))).sum();
        assert!(sum > 0.0);
        let counts = counters.stop();
        for count in [counts.cycles, counts.instructions].into_iter().flatten() {
            assert!(count > 1e6, "{counts:?}");
        }
    }
}
