if (outcome.steps != naive.steps || outcome.stopped != naive.stopped) {
  printf("the run ended after %lld steps, and the naive loops after %lld\n", (long long)outcome.steps,
      (long long)naive.steps);
  wrong = 1;
}
