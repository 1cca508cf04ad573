package io.viaduct.diameter.message;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A DiameterURI (RFC 6733 section 4.3.1).
///
/// @param secure true for `aaas`, which is TLS or DTLS
/// @param port 3868, or 5658 if secure, when the text names none
/// @param transport `tcp`, `sctp` or `udp`
/// @param protocol `diameter`, `radius` or `tacacs+`
public record DiameterUri(
    boolean secure, String host, int port, String transport, String protocol) {
  private static final Pattern FORM =
      Pattern.compile(
          "(aaas?)://([A-Za-z0-9._-]{1,255})(?::(\\d{1,5}))?"
              + "(?:;transport=(tcp|sctp|udp))?(?:;protocol=(diameter|radius|tacacs\\+))?");
  private static final int PORT = 3868;
  private static final int SECURE_PORT = 5658;
  private static final int PORT_MAX = 65_535;

  /// Parses a URI.
  ///
  /// @throws IllegalArgumentException if the text is no DiameterURI
  public static DiameterUri parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException("no DiameterURI");
    }
    boolean secure = form.group(1).toLowerCase(Locale.ROOT).equals("aaas");
    int standard = secure ? SECURE_PORT : PORT;
    int port = form.group(3) == null ? standard : Integer.parseInt(form.group(3));
    if (port < 1 || port > PORT_MAX) {
      throw new IllegalArgumentException("no port: " + port);
    }
    return new DiameterUri(
        secure,
        form.group(2),
        port,
        form.group(4) == null ? "tcp" : form.group(4),
        form.group(5) == null ? "diameter" : form.group(5));
  }
}
