package io.viaduct.host.cgroup;

import io.viaduct.host.linux.Errno;
import java.io.IOException;

/// Thrown when a control group, or the mark of its sockets, cannot be had. The message says what to
/// do.
public final class ControlGroupException extends IOException {
  /// Reason of the failure.
  public enum Reason {
    /// No control groups of version 2 are mounted.
    NOT_MOUNTED,
    /// The process lacks the right.
    NO_PERMISSION,
    /// The kernel refuses it for another reason.
    UNSUPPORTED
  }

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  ControlGroupException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  /// Returns the same failure with the configuration key that asked for it.
  public ControlGroupException of(String key) {
    var named = new ControlGroupException(reason, key + ": " + getMessage());
    named.initCause(this);
    return named;
  }

  /// Returns the failure of a host without control groups of version 2.
  public static ControlGroupException notMounted() {
    return new ControlGroupException(
        Reason.NOT_MOUNTED,
        "/proc/self/mountinfo has no control groups of version 2: mount -t cgroup2 none /sys/fs/cgroup,"
            + " or give the container those of the host");
  }

  static ControlGroupException ofProgram(String what, int result) {
    return switch (Errno.of(result)) {
      case EPERM, EACCES ->
          new ControlGroupException(
              Reason.NO_PERMISSION,
              "%s (%s): run the agent as root of the host, or with CAP_BPF and CAP_NET_ADMIN"
                  .formatted(what, Errno.text(result)));
      default ->
          new ControlGroupException(
              Reason.UNSUPPORTED,
              "%s (%s): Linux 5.7 or newer is needed, with CONFIG_BPF_SYSCALL and CONFIG_CGROUP_BPF"
                  .formatted(what, Errno.text(result)));
    };
  }
}
