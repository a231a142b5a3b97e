      seconds(i) = outcome%seconds
    end do
    median = 0
    do i = 1, timed
      if (2 * count(seconds < seconds(i)) < timed .and. 2 * count(seconds > seconds(i)) < timed) median = seconds(i)
    end do
