# Linear algebra of R, as numbers: run with and without the drop-in, it prints the same within rounding.
set.seed(7)

say <- function(name, value) {
  value <- c(Re(value), Im(value))
  value <- value[seq(1, length(value), by = max(1, length(value) %/% 12))]
  cat(name, sprintf("%.9g", value + 0), "\n")
}

small <- function(name, residual, scale) {
  ratio <- max(Mod(residual)) / scale
  if (!(ratio < 30)) stop(sprintf("%s: %g", name, ratio))
}

eps <- .Machine$double.eps
for (n in c(1, 5, 40, 150)) {
  a <- matrix(rnorm(n * n), n) + diag(2 * sqrt(n), n)
  b <- matrix(rnorm(3 * n), n)
  tall <- matrix(rnorm((2 * n + 3) * n), 2 * n + 3)
  spd <- crossprod(a) + diag(n, n)
  scale <- n * eps * max(colSums(abs(a)))
  x <- solve(a, b)
  small("solve", a %*% x - b, scale * max(abs(x)))
  say("solve", x)
  say("product", a %*% b)
  say("crossprod", crossprod(a, b))
  say("tcrossprod", tcrossprod(tall))
  say("inverse", solve(a))
  say("determinant", as.numeric(determinant(a)$modulus))
  r <- chol(spd)
  small("chol", crossprod(r) - spd, n * eps * max(colSums(abs(spd))))
  say("chol2inv", chol2inv(r))
  q <- qr(tall, LAPACK = TRUE)
  small("qr", qr.Q(q) %*% qr.R(q) - tall[, q$pivot], 3 * n * eps * max(colSums(abs(tall))))
  say("qr", abs(diag(as.matrix(qr.R(qr(tall))))))
  say("least squares", qr.coef(qr(tall), rep(1, 2 * n + 3)))
  say("triangle", backsolve(r, b))
  say("eigenvalues", eigen(spd, symmetric = TRUE, only.values = TRUE)$values)
  say("singular values", svd(tall, nu = 0, nv = 0)$d)
  z <- a + 1i * t(a)
  small("complex solve", z %*% solve(z, b + 0i) - b, n * eps * max(colSums(Mod(z))) * max(Mod(solve(z, b + 0i))))
  say("complex product", z %*% (b + 1i * b))
}
