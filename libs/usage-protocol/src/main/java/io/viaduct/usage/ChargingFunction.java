package io.viaduct.usage;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Names a charging function of an IMS core in a session token. Devices read their tokens and must
/// not learn the hosts of the core (RFC 7315, security of P-Charging-Function-Addresses), so the
/// token has a digest; billing compares it with those of its Diameter peers.
public final class ChargingFunction {
  private static final Pattern ADDRESS =
      Pattern.compile("(?:aaas?://)?([A-Za-z0-9_.-]{1,255})(?::[0-9]{1,5})?(?:;.*)?");

  private ChargingFunction() {}

  /// Returns the digest of an address: the first 8 octets of the SHA-256 of its host in lower case.
  ///
  /// @param address a host, with or without a port, or a DiameterURI (RFC 6733 section 4.3.1)
  /// @return empty if it has no host name or IPv4 address
  public static Optional<Long> digest(String address) {
    Matcher form = ADDRESS.matcher(address);
    if (!form.matches()) {
      return Optional.empty();
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(form.group(1).toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII));
      return Optional.of(ByteBuffer.wrap(digest).getLong());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java has SHA-256", e);
    }
  }
}
