% Linear algebra of Octave, as numbers: run with and without the drop-in, it prints the same within rounding.
rand("twister", 7);
randn("twister", 7);

function say(name, value)
  value = [real(value(:)); imag(value(:))];
  value = value(1:max(1, floor(numel(value) / 12)):end);
  printf("%s", name);
  printf(" %.9g", value + 0);
  printf("\n");
end

function small(name, residual, scale)
  ratio = norm(residual, 1) / scale;
  if !(ratio < 30)
    error("%s: %g", name, ratio);
  end
end

for n = [1 5 40 150]
  for imaginary = [0 1i]
    a = randn(n) + imaginary * randn(n) + 2 * sqrt(n) * eye(n);
    b = randn(n, 3) + imaginary * randn(n, 3);
    tall = randn(2 * n + 3, n) + imaginary * randn(2 * n + 3, n);
    spd = a' * a + n * eye(n);
    name = sprintf("%s%d", {"real", "complex"}{1 + (imaginary != 0)}, n);
    scale = n * eps * norm(a, 1);
    x = a \ b;
    small([name " solve"], a * x - b, scale * norm(x, 1));
    say([name " solve"], x);
    say([name " product"], a * b);
    say([name " transposed"], a.' * b + a' * b);
    say([name " inverse"], inv(a));
    say([name " determinant"], log(abs(det(a))));
    r = chol(spd);
    small([name " chol"], r' * r - spd, n * eps * norm(spd, 1));
    say([name " positive"], spd \ b);
    [q, r] = qr(tall, 0);
    small([name " qr"], q * r - tall, 2 * n * eps * norm(tall, 1));
    say([name " qr"], abs(diag(r)));
    say([name " least squares"], tall \ ones(2 * n + 3, 1));
    [l, u, p] = lu(a);
    small([name " lu"], l * u - p * a, scale);
    say([name " triangle"], triu(a) \ b);
    say([name " eigenvalues"], sort(eig((spd + spd') / 2)));
    say([name " singular values"], svd(tall));
    say([name " dot"], [dot(b(:, 1), b(:, 2)), norm(b(:, 1)), norm(a(:))]);
  end
end
