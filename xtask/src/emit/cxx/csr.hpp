/** A sparse matrix in compressed rows, of elements T: csrCreate and others make one. */
template <class T>
class Csr : public Unique<affinimath_csr, affinimathCsrDestroy> {
public:
  Csr() noexcept = default;
  /** Takes over what a C function made, of elements T. */
  explicit Csr(affinimath_csr *raw) noexcept { reset(raw); }

  /** Rows, columns and entries, which are 0 of an empty object. */
  int64_t rows() const noexcept { return get() != nullptr ? rows_ : 0; }
  int64_t columns() const noexcept { return get() != nullptr ? columns_ : 0; }
  int64_t entries() const noexcept { return get() != nullptr ? entries_ : 0; }

  /** Ends what it held. */
  void reset(affinimath_csr *raw = nullptr) noexcept
  {
    Unique::reset(raw);
    rows_ = columns_ = entries_ = 0;
    if (raw != nullptr) static_cast<void>(affinimathCsrShape(raw, &rows_, &columns_, &entries_));
  }

private:
  int64_t rows_ = 0, columns_ = 0, entries_ = 0;
};
