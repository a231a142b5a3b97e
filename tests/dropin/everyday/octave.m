% Everyday computations of Octave: a line for each with its name, seconds and numbers of the result.
n = str2double(argv(){end});
rand("twister", 7);
randn("twister", 7);
global a b x tall spd symmetric z single_a bands;
a = randn(n) + 2 * sqrt(n) * eye(n);
b = randn(n);
x = randn(n, 1);
tall = randn(4 * n, floor(n / 2));
spd = a' * a / n + eye(n);
symmetric = b + b';
z = a + 1i * b;
single_a = single(a);
bands = spdiags([randn(20 * n, 2), 8 + randn(20 * n, 1), randn(20 * n, 2)], -2:2, 20 * n, 20 * n);

function value = second(f, varargin)
  [~, value] = f(varargin{:});
end

function d = diagonal(f, varargin)
  [~, r] = f(varargin{:});
  d = abs(diag(r));
end

function e = ordered(e)
  [~, order] = sortrows([real(e), imag(e)]);
  e = e(order);
end

computations = {
  "product", @() a * b;
  "product float32", @() double(single_a * single_a);
  "product complex", @() z * z;
  "product with vector", @() a * x;
  "Gram matrix", @() a' * a;
  "solve", @() a \ b;
  "solve complex", @() z \ x;
  "solve positive definite", @() spd \ x;
  "solve triangular", @() triu(a) \ b;
  "inverse", @() inv(a);
  "determinant", @() log(abs(det(a / sqrt(n))));
  "Cholesky", @() chol(spd);
  "LU", @() diagonal(@lu, a);
  "QR", @() diagonal(@(m) qr(m, 0), tall);
  "least squares", @() tall \ ones(4 * n, 1);
  "pseudo-inverse", @() pinv(tall);
  "condition number", @() cond(a);
  "rank", @() rank(a);
  "null space", @() norm(null(a(1:end - 3, :)), "fro");
  "eigenvalues, symmetric", @() eig(symmetric);
  "eigenvectors, symmetric", @() diag(second(@eig, symmetric));
  "eigenvectors, generalised", @() sort(diag(second(@eig, symmetric, spd)));
  "eigenvectors", @() ordered(diag(second(@eig, a)));
  "singular values", @() svd(a);
  "Schur form", @() sort(abs(diag(second(@schur, z))));
  "exponential", @() expm(a / n);
  "square root", @() real(sqrtm(spd));
};

for k = 1:rows(computations)
  compute = computations{k, 2};
  seconds = zeros(1, 3);
  result = compute();
  for repetition = 1:3
    start = tic;
    result = compute();
    seconds(repetition) = toc(start);
  end
  numbers = [real(result(:)); imag(result(:))];
  numbers = numbers(1:max(1, floor(numel(numbers) / 8)):end);
  printf("%s\t%.6f\t%s\n", computations{k, 1}, median(seconds), strtrim(sprintf("%.9g ", numbers)));
end
