package io.viaduct.cnapt.control;

import java.util.Optional;
import java.util.regex.Pattern;

/// A SNAPT to which the agent may connect.
///
/// @param id common name that its certificate must have; empty accepts any
/// @param host host name or address, which the certificate must also name
/// @param controlPort TCP port of the control connection
public record Snapt(String id, String host, int controlPort) {
  // Limits of a DNS name or address (RFC 1035 section 2.3.4) and of a common name (RFC 5280,
  // appendix A).
  private static final Pattern HOST = Pattern.compile("[\\x21-\\x7e]{1,253}");
  private static final Pattern ID = Pattern.compile("[\\x20-\\x7e]{0,64}");

  /// Returns a SNAPT of a received list, or empty if the entry is not valid.
  public static Optional<Snapt> listed(String id, String host, int controlPort) {
    return controlPort >= 1
            && controlPort <= 65535
            && HOST.matcher(host).matches()
            && ID.matcher(id).matches()
        ? Optional.of(new Snapt(id, host, controlPort))
        : Optional.empty();
  }

  /// Returns whether both name the same host and port; the configuration may leave out the id.
  boolean isSameProcess(Snapt other) {
    return host.equals(other.host) && controlPort == other.controlPort;
  }

  /// Returns whether both are one SNAPT: they have the same id, or the same host and port.
  boolean isSameSnapt(Snapt other) {
    return isSameProcess(other) || (!id.isEmpty() && id.equals(other.id));
  }

  @Override
  public String toString() {
    return (id.isEmpty() ? "" : id + " ") + host + ":" + controlPort;
  }
}
