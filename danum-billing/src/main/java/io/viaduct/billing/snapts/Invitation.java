package io.viaduct.billing.snapts;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An operator's invitation of a SNAPT, by a one-time code; or the request of an enrolled SNAPT for
/// its next certificate.
///
/// @param snapt id that the SNAPT will have
/// @param madeBy account of the operator
/// @param expiresAt end of the code, and after its use of the request
/// @param request null until a SNAPT has used the code
/// @param isCertified whether the certificate is there, and the SNAPT enrolled
/// @param isRenewal whether the SNAPT is enrolled, and asks for its next certificate
public record Invitation(
    String snapt,
    String owner,
    String region,
    Optional<Long> lineRate,
    Instant madeAt,
    String madeBy,
    Instant expiresAt,
    @Nullable Request request,
    boolean isCertified,
    boolean isRenewal) {
  /// A SNAPT's request for a certificate.
  ///
  /// @param reportKey base64 of the raw Ed25519 key that signs its reports
  /// @param text PKCS#10 as PEM, as the SNAPT has sent it: only the authority checks it
  public record Request(Instant askedAt, String reportKey, String text) {}
}
