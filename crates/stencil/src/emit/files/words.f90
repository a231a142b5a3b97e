  if (command_argument_count() > 0) call get_command_argument(1, word)
  if (command_argument_count() > 1 .or. .not. any(word == ["      ", "check ", "time  "])) then
    write (error_unit, "(a)") "the only argument is check or time"
    stop 2
  end if
