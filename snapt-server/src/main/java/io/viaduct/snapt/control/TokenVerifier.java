package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.tunnel.control.DeviceProof;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.Optional;

/// Verifies a session token, and the proof that the device holds the token's key. It contacts no
/// other service.
///
/// The order of the checks is fixed: form, signature, audience, not before, expiry, revocation,
/// proof. A token with two errors therefore always gets the same answer. The content is not used
/// before the signature is verified.
public final class TokenVerifier {
  private static final int TOKEN_BYTES_MAX = 4096;
  private static final int NAME_LENGTH_MAX = 128;

  // Allowance for the clock difference between bridge and SNAPT, because a token may be used at
  // once. Expiry has no allowance: the SNAPT's clock decides, which protects the operator.
  private static final long EARLY_MS_MAX = 30_000;

  private final TokenKeys keys;
  private final ToldRevocations revoked;
  private final String audience;

  /// @param audience SNAPT group that a token must name
  public TokenVerifier(TokenKeys keys, ToldRevocations revoked, String audience) {
    this.keys = keys;
    this.revoked = revoked;
    this.audience = audience;
  }

  /// The result of a verification.
  public sealed interface Result {
    /// Token and proof are valid.
    record Valid(ShownToken token) implements Result {}

    /// Token or proof is not valid.
    ///
    /// @param detail value, rule and next step, as text for the device's log
    record Refused(RefusalCode code, String detail) implements Result {}
  }

  /// Verifies a token and its proof.
  ///
  /// @param signed encoded SignedSessionToken
  /// @param proof the device's signature
  /// @param exporter keying material of this TLS connection
  /// @param nowMs Unix time in ms
  public Result verify(ByteString signed, ByteString proof, byte[] exporter, long nowMs) {
    if (signed.size() > TOKEN_BYTES_MAX) {
      return malformed("a token may be " + TOKEN_BYTES_MAX + " bytes, got " + signed.size());
    }
    try {
      Result result = verify(SignedSessionToken.parseFrom(signed), nowMs);
      return result instanceof Result.Valid(ShownToken shown)
              && !proven(shown.content(), proof, exporter)
          ? refused(
              RefusalCode.PROOF_INVALID,
              "the proof must be the signature of this connection's exporter by the token's device key")
          : result;
    } catch (InvalidProtocolBufferException _) {
      return malformed("not a SignedSessionToken");
    }
  }

  /// Verifies a token that another SNAPT passes on. That SNAPT has checked the proof.
  ///
  /// @param nowMs Unix time in ms
  public Result verify(SignedSessionToken envelope, long nowMs) {
    Optional<PublicKey> key = keys.find(envelope.getKeyId());
    if (key.isEmpty()) {
      return refused(RefusalCode.TOKEN_FORGED, "the token names an unknown key: get a new token");
    }
    if (!SignedMessage.SESSION_TOKEN.isSignedBy(
        key.get(), envelope.getToken(), envelope.getSignature())) {
      return refused(RefusalCode.TOKEN_FORGED, "the signature is not valid: get a new token");
    }
    try {
      return verify(new ShownToken(SessionToken.parseFrom(envelope.getToken()), envelope), nowMs);
    } catch (InvalidProtocolBufferException _) {
      return malformed("not a SignedSessionToken");
    }
  }

  private Result verify(ShownToken shown, long nowMs) {
    SessionToken token = shown.content();
    if (token.getDeviceKey().size() != Ed25519.PUBLIC_KEY_LENGTH
        || !named(token.getAccount())
        || !named(token.getTokenId())) {
      return malformed("a token names token id, account and a device key of 32 bytes");
    }
    if (!token.getAudience().equals(audience)) {
      return refused(RefusalCode.TOKEN_AUDIENCE, "this SNAPT serves the group " + audience);
    }
    if (nowMs < token.getNotBeforeMs() - EARLY_MS_MAX) {
      return refused(
          RefusalCode.TOKEN_NOT_YET_VALID,
          "valid from %d ms, it is %d ms: check the clocks"
              .formatted(token.getNotBeforeMs(), nowMs));
    }
    if (nowMs >= token.getExpiresMs()) {
      return refused(
          RefusalCode.TOKEN_EXPIRED,
          "expired at %d ms, it is %d ms: get a new token".formatted(token.getExpiresMs(), nowMs));
    }
    return revocation(shown, nowMs)
        .map(why -> refused(RefusalCode.TOKEN_REVOKED, why))
        .orElse(new Result.Valid(shown));
  }

  /// Returns why a token that was valid is void before its end; empty if it is not.
  ///
  /// @param nowMs Unix time in ms
  public Optional<String> revocation(ShownToken token, long nowMs) {
    return revoked.reason(token, nowMs);
  }

  private static boolean named(String name) {
    return !name.isEmpty() && name.length() <= NAME_LENGTH_MAX;
  }

  private static boolean proven(SessionToken token, ByteString proof, byte[] exporter) {
    try {
      PublicKey device = Ed25519.publicKey(token.getDeviceKey().toByteArray());
      return DeviceProof.verify(device, exporter, proof.toByteArray());
    } catch (GeneralSecurityException _) {
      return false; // the device key is not a point of the curve
    }
  }

  private static Result malformed(String detail) {
    return refused(RefusalCode.TOKEN_MALFORMED, detail);
  }

  private static Result refused(RefusalCode code, String detail) {
    return new Result.Refused(code, detail);
  }
}
