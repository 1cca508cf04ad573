package io.viaduct.cnapt.control;

import java.util.Optional;
import java.util.regex.Pattern;

/// One SNAPT as a candidate for the control connection.
///
/// @param id common name that its certificate must carry; empty: any
/// @param host name or address, which the certificate must name too
/// @param controlPort TCP
public record Snapt(String id, String host, int controlPort) {
  // A name of the DNS (RFC 1035 section 2.3.4) or an address; a common name (RFC 5280, appendix A).
  private static final Pattern HOST = Pattern.compile("[\\x21-\\x7e]{1,253}");
  private static final Pattern ID = Pattern.compile("[\\x20-\\x7e]{0,64}");

  /// One that somebody else has listed; empty if nobody can be asked there.
  public static Optional<Snapt> listed(String id, String host, int controlPort) {
    return controlPort >= 1
            && controlPort <= 65535
            && HOST.matcher(host).matches()
            && ID.matcher(id).matches()
        ? Optional.of(new Snapt(id, host, controlPort))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return (id.isEmpty() ? "" : id + " ") + host + ":" + controlPort;
  }
}
