package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.require;

import io.viaduct.service.tls.Ed25519;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/// Facts about a SNAPT that an operator sets, in the configuration or by the interface.
///
/// @param id common name of its certificate, 1 to 64 of A-Z a-z 0-9 . _ -
/// @param reportKey base64 of the raw 32-byte Ed25519 key that signs its reports
/// @param owner who earns the provider's fee and sets its surcharge; named as an id
/// @param region location, at most 64 characters without control characters; may be empty
/// @param lineRate bit/s in each direction; empty for the default
public record SnaptFacts(
    String id, String reportKey, String owner, String region, Optional<Long> lineRate) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern REGION = Pattern.compile("[^\\p{Cc}]{0,64}");
  private static final long LINE_RATE_MAX = 10_000_000_000_000L;

  /// Checks all values.
  ///
  /// @throws IllegalArgumentException naming the value and its rule
  public SnaptFacts {
    require(NAME.matcher(id).matches(), "the id of a SNAPT must match " + NAME, id);
    require(NAME.matcher(owner).matches(), "owner must match " + NAME, owner);
    require(REGION.matcher(region).matches(), "region must have at most 64 characters", region);
    lineRate.ifPresent(rate ->
        require(
            rate >= 1 && rate <= LINE_RATE_MAX,
            "line-rate must be 1 to " + LINE_RATE_MAX + " bit/s",
            Long.toString(rate)));
    try {
      var unused = Ed25519.publicKey(Base64.getDecoder().decode(reportKey));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "report-key must be base64 of a raw 32-byte Ed25519 public key: " + e.getMessage(), e);
    }
  }

  /// Returns the raw key.
  public byte[] keyBytes() {
    return Base64.getDecoder().decode(reportKey);
  }
}
