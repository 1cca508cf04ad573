package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.NAME;
import static io.viaduct.bridge.configuration.Rules.publicKey;
import static io.viaduct.bridge.configuration.Rules.require;

import java.security.PublicKey;
import java.util.Optional;

/// One SNAPT that may announce itself.
///
/// @param id common name of its certificate
/// @param reportKey base64 of the raw 32-byte Ed25519 key that signs its reports
/// @param lineRate bit/s in each direction; a report of more bytes than this rate carries is
///   refused. Empty: 10 Gbit/s
public record Snapt(
    String id, String reportKey, String owner, String region, Optional<Long> lineRate) {
  /// The fastest network port that hosts commonly have.
  private static final long LINE_RATE_DEFAULT = 10_000_000_000L;

  private static final long LINE_RATE_MAX = 10_000_000_000_000L;

  public Snapt {
    long rate = lineRate.orElse(LINE_RATE_DEFAULT);
    require(
        rate >= 1 && rate <= LINE_RATE_MAX,
        "line-rate must be 1.." + LINE_RATE_MAX + " bit/s",
        rate);
    require(id.matches(NAME), "id must match " + NAME, id);
    publicKey("report-key", reportKey);
  }

  public long bitPerSecond() {
    return lineRate.orElse(LINE_RATE_DEFAULT);
  }

  public PublicKey key() {
    return publicKey("report-key", reportKey);
  }
}
