    if (outcome%steps /= naive%steps .or. outcome%stopped /= naive%stopped) then
      print "(a, i0, a, i0)", "the run ended after steps: ", outcome%steps, ", the naive loops: ", naive%steps
      wrong = .true.
    end if
