
  !> Evaluates a text that assigns its operands, such as "y = 2*x" or "x[1:-1] = 0". It needs no value of its own.
  subroutine affinimath_assign(text, variables, stat, errmsg)
    character(len=*), intent(in) :: text
    type(affinimath_variable), intent(in) :: variables(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    call run("affinimath_assign", text, variables, stat, errmsg)
  end subroutine affinimath_assign

  !> A variable with the addresses of its first element and of the neighbours along each axis; null where there are
  !> none.
  function described(name, element, bytes, extents, at) result(variable)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: element
    integer(c_size_t), intent(in) :: bytes
    integer(c_int64_t), intent(in) :: extents(:)
    type(c_ptr), intent(in) :: at(0:)
    type(affinimath_variable) :: variable
    integer(c_int64_t) :: apart
    integer :: axis
    variable%name = name
    variable%operand%name = c_null_ptr
    variable%operand%array = c_null_ptr
    variable%operand%data = at(0)
    variable%operand%element = element
    variable%operand%rank = int(size(extents), c_int)
    variable%operand%shape = 0
    variable%operand%strides = 0
    do axis = 1, size(extents)
      variable%operand%shape(axis) = extents(axis)
      if (.not. c_associated(at(axis))) cycle
      apart = transfer(at(axis), 0_c_intptr_t) - transfer(at(0), 0_c_intptr_t)
      variable%operand%strides(axis) = apart / int(bytes, c_int64_t)
      if (mod(apart, int(bytes, c_int64_t)) /= 0) variable%is_strided = .false.
    end do
  end function described

  !> Evaluates a text for its operands.
  subroutine run(procedure, text, variables, stat, errmsg)
    character(len=*), intent(in) :: procedure, text
    type(affinimath_variable), intent(in) :: variables(:)
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(affinimath_operand) :: operands(size(variables))
    integer(c_int64_t), target :: values(2, size(variables))
    character(kind=c_char), target :: names(65, size(variables))
    character(len=200) :: reason
    type(c_ptr) :: expression
    integer(c_int) :: status, ended
    integer :: i, k
    reason = ""
    status = AFFINIMATH_SUCCESS
    names = c_null_char
    do i = 1, size(variables)
      operands(i) = variables(i)%operand
      values(:, i) = transfer(variables(i)%value, values(:, i))
      do k = 1, len_trim(variables(i)%name)
        names(k, i) = variables(i)%name(k:k)
      end do
      operands(i)%name = c_loc(names(1, i))
      if (variables(i)%is_value) operands(i)%data = c_loc(values(1, i))
      if (.not. variables(i)%is_strided) then
        status = AFFINIMATH_SHAPE_MISMATCH
        reason = trim(variables(i)%name) // " has neighbours that are no whole elements apart"
      end if
    end do
    if (status == AFFINIMATH_SUCCESS) then
      expression = c_null_ptr
      status = affinimathExpressionCreate(trim(text) // c_null_char, expression)
      if (status == AFFINIMATH_SUCCESS) then
        status = affinimathExpressionRun(expression, size(variables, kind=c_int64_t), operands)
        ended = affinimathExpressionDestroy(expression)
        if (status == AFFINIMATH_SUCCESS) status = ended
      end if
    end if
    call finish(procedure, status, reason, stat, errmsg)
  end subroutine run
