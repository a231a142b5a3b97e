% Transforms of Octave over the drop-in, against sums of their definition.
if isempty(strfind(version("-fftw"), "affinimath"))
  error("Octave calls %s", version("-fftw"));
end
function small(name, difference, scale, epsilon)
  if !(norm(difference(:)) <= 20 * epsilon * norm(scale(:)))
    error("%s: %g", name, norm(difference(:)) / norm(scale(:)));
  end
end
rand("twister", 5);
for n = [2 7 12 31 64 101 128]
  matrix = exp(-2i * pi * mod((0:n-1)' * (0:n-1), n) / n);
  x = rand(n, 3) + 1i * rand(n, 3);
  small("fft", fft(x) - matrix * x, x * n, eps);
  small("fft, real", fft(real(x)) - matrix * real(x), x * n, eps);
  small("ifft", ifft(fft(x)) - x, x, eps);
  small("ifft, real", ifft(fft(real(x))) - real(x), x, eps);
  small("fft, rows", fft(x.', [], 2) - (matrix * x).', x * n, eps);
  small("fft, single", double(fft(single(x))) - matrix * x, x * n, eps("single"));
  y = rand(n, 9);
  small("fft2", fft2(y) - fft(fft(y).').', y * n, eps);
  small("ifft2", ifft2(fft2(y)) - y, y, eps);
end
z = rand(6, 5, 4);
small("fftn", ifftn(fftn(z)) - z, z, eps);
small("fftconv", fftconv(1:9, 3:7) - conv(1:9, 3:7), 1000, eps);
