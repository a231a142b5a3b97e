# Everyday computations of R: a line for each with its name, seconds and numbers of the result.
n <- as.integer(tail(commandArgs(TRUE), 1))
set.seed(7)
a <- matrix(rnorm(n * n), n) + diag(2 * sqrt(n), n)
b <- matrix(rnorm(n * n), n)
x <- rnorm(n)
tall <- matrix(rnorm(2 * n * n), 4 * n)
spd <- crossprod(a) / n + diag(n)
symmetric <- b + t(b)
z <- a + 1i * b
r <- chol(spd)
y <- rnorm(4 * n)

ordered <- function(values) values[order(round(Re(values), 6), Im(values))]

computations <- list(
  "product" = function() a %*% b,
  "product complex" = function() z %*% z,
  "product with vector" = function() a %*% x,
  "cross product" = function() crossprod(a),
  "cross product of two" = function() crossprod(a, b),
  "outer cross product" = function() tcrossprod(tall[1:n, ]),
  "covariance" = function() cov(tall),
  "solve" = function() solve(a, b),
  "solve complex" = function() solve(z, x + 0i),
  "inverse" = function() solve(a),
  "determinant" = function() as.numeric(determinant(a)$modulus),
  "Cholesky" = function() chol(spd),
  "inverse from Cholesky" = function() chol2inv(r),
  "solve triangular" = function() backsolve(r, b),
  "QR" = function() abs(diag(qr.R(qr(tall, LAPACK = TRUE)))),
  "linear model" = function() lm.fit(tall, y)$coefficients,
  "least squares by LAPACK" = function() qr.coef(qr(tall, LAPACK = TRUE), y),
  "eigenvalues, symmetric" = function() eigen(symmetric, symmetric = TRUE, only.values = TRUE)$values,
  "eigenvectors, symmetric" = function() eigen(symmetric, symmetric = TRUE)$values,
  "eigenvectors" = function() ordered(eigen(a)$values),
  "singular values" = function() svd(a, nu = 0, nv = 0)$d,
  "SVD" = function() svd(a)$d,
  "principal components" = function() prcomp(tall)$sdev,
  "condition number" = function() kappa(a, exact = TRUE),
  "norm" = function() norm(a, "2"),
  "Mahalanobis distance" = function() mahalanobis(tall, rep(0, ncol(tall)), spd[1:ncol(tall), 1:ncol(tall)])
)

for (name in names(computations)) {
  compute <- computations[[name]]
  result <- compute()
  seconds <- sapply(1:3, function(repetition) system.time(result <<- compute(), gcFirst = FALSE)[["elapsed"]])
  numbers <- c(Re(result), Im(result))
  numbers <- numbers[seq(1, length(numbers), by = max(1, length(numbers) %/% 8))]
  cat(name, sprintf("%.6f", median(seconds)), paste(sprintf("%.9g", numbers), collapse = " "), sep = "\t")
  cat("\n")
}
