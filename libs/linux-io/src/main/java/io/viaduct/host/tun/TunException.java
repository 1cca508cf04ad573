package io.viaduct.host.tun;

import io.viaduct.host.linux.Errno;
import java.io.IOException;

/// Thrown when a TUN device cannot be made. The message says what to do.
public final class TunException extends IOException {
  /// Reason of the failure.
  public enum Reason {
    /// /dev/net/tun does not exist.
    NO_DRIVER,
    /// The process may not open it or make a device.
    NO_PERMISSION,
    /// A device of that name exists.
    NAME_TAKEN,
    /// The kernel lacks a feature that the tunnel needs.
    UNSUPPORTED
  }

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  private TunException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  static TunException ofOpen(int result) {
    return switch (Errno.of(result)) {
      case ENOENT, ENODEV, ENXIO ->
          new TunException(
              Reason.NO_DRIVER,
              "/dev/net/tun is missing (%s): modprobe tun, or give the container --device /dev/net/tun"
                  .formatted(Errno.text(result)));
      case EACCES, EPERM ->
          new TunException(
              Reason.NO_PERMISSION,
              "/dev/net/tun may not be opened (%s): run as root or chmod 666 /dev/net/tun"
                  .formatted(Errno.text(result)));
      default ->
          new TunException(
              Reason.UNSUPPORTED, "/dev/net/tun cannot be opened: " + Errno.text(result));
    };
  }

  static TunException ofAttach(String name, int queue, int result) {
    return switch (Errno.of(result)) {
      case EPERM, EACCES ->
          new TunException(
              Reason.NO_PERMISSION,
              "TUN device '%s' may not be made (%s): CAP_NET_ADMIN is needed in this network namespace"
                  .formatted(name, Errno.text(result)));
      case EBUSY ->
          new TunException(
              Reason.NAME_TAKEN,
              "TUN device '%s' is in use by another process (%s): stop that one or choose another name"
                  .formatted(name, Errno.text(result)));
      case EEXIST ->
          new TunException(
              Reason.NAME_TAKEN,
              "a device '%s' exists (%s): choose another name or ip link delete %s"
                  .formatted(name, Errno.text(result), name));
      default ->
          new TunException(
              Reason.UNSUPPORTED,
              "queue %d of TUN device '%s' cannot be attached: %s"
                  .formatted(queue, name, Errno.text(result)));
    };
  }

  static TunException ofSetting(String setting, int result) {
    return new TunException(
        Reason.UNSUPPORTED,
        "the kernel refuses %s: %s; Linux 5.4 or newer is needed"
            .formatted(setting, Errno.text(result)));
  }
}
