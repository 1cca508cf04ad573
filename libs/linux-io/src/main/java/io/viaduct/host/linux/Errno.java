package io.viaduct.host.linux;

/// Error numbers that this module handles, under the names of asm-generic/errno.h.
public enum Errno {
  EPERM(1),
  ENOENT(2),
  EINTR(4),
  EIO(5),
  ENXIO(6),
  EBADF(9),
  EAGAIN(11),
  ENOMEM(12),
  EACCES(13),
  EFAULT(14),
  EBUSY(16),
  EEXIST(17),
  ENODEV(19),
  EINVAL(22),
  EMFILE(24),
  ENOSPC(28),
  EPIPE(32),
  ENOSYS(38),
  EBADFD(77),
  EMSGSIZE(90),
  ENOPROTOOPT(92),
  EOPNOTSUPP(95),
  EAFNOSUPPORT(97),
  EADDRINUSE(98),
  EADDRNOTAVAIL(99),
  ENETDOWN(100),
  ENETUNREACH(101),
  ECONNRESET(104),
  ENOBUFS(105),
  ECONNREFUSED(111),
  EHOSTDOWN(112),
  EHOSTUNREACH(113),
  /// Any other error.
  OTHER(0);

  private static final Errno[] BY_NUMBER = new Errno[134];

  static {
    java.util.Arrays.fill(BY_NUMBER, OTHER);
    for (Errno errno : values()) {
      BY_NUMBER[errno.number] = errno;
    }
  }

  private final int number;

  Errno(int number) {
    this.number = number;
  }

  /// Returns the kernel's number of the error.
  public int number() {
    return number;
  }

  /// Returns the error of a failed call, whose result is below zero.
  public static Errno of(int result) {
    int number = -result;
    return number > 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : OTHER;
  }

  /// Returns for example `EBUSY (16)`, or only the number of an unknown error.
  public static String text(int result) {
    return of(result) == OTHER ? "errno " + -result : of(result) + " (" + -result + ")";
  }

  /// Returns the result of a call that failed with this error, which is below zero.
  public int result() {
    return -number;
  }

  /// Returns true if a call would have blocked (EAGAIN).
  public static boolean isAgain(int result) {
    return result == -11;
  }
}
