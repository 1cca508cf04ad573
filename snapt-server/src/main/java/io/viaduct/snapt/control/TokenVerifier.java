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

/// Checks a session token and the proof that the device holds its key; needs nobody else.
///
/// The order is fixed, so that a token which is wrong in two ways has one answer: form, signature,
/// audience, not before, expiry, proof. Nothing that a token says counts before its signature
/// holds.
public final class TokenVerifier {
  private static final int TOKEN_BYTES_MAX = 4096;
  private static final int NAME_LENGTH_MAX = 128;

  // A token is fresh from the bridge when it gets here; the clocks of two machines may differ by
  // this. Expiry has no allowance: it is the SNAPT's clock that protects the operator.
  private static final long EARLY_MS_MAX = 30_000;

  private final TokenKeys keys;
  private final String audience;

  /// @param audience the SNAPT group that a token must name
  public TokenVerifier(TokenKeys keys, String audience) {
    this.keys = keys;
    this.audience = audience;
  }

  /// What became of a token.
  public sealed interface Result {
    /// It holds, and so does the proof.
    record Valid(ShownToken token) implements Result {}

    /// It does not.
    ///
    /// @param detail value, rule and what to do, fit for the device's log
    record Refused(RefusalCode code, String detail) implements Result {}
  }

  /// @param signed bytes of a SignedSessionToken
  /// @param proof the device's signature
  /// @param exporter keying material of this TLS connection
  /// @param nowMs Unix time
  public Result verify(ByteString signed, ByteString proof, byte[] exporter, long nowMs) {
    if (signed.size() > TOKEN_BYTES_MAX) {
      return malformed("a token may be " + TOKEN_BYTES_MAX + " bytes, got " + signed.size());
    }
    try {
      SignedSessionToken envelope = SignedSessionToken.parseFrom(signed);
      Optional<PublicKey> key = keys.find(envelope.getKeyId());
      if (key.isEmpty()) {
        return refused(
            RefusalCode.TOKEN_FORGED, "no known key signs as it claims: get a new token");
      }
      if (!SignedMessage.SESSION_TOKEN.isSignedBy(
          key.get(), envelope.getToken(), envelope.getSignature())) {
        return refused(RefusalCode.TOKEN_FORGED, "the signature does not hold: get a new token");
      }
      ShownToken shown = new ShownToken(SessionToken.parseFrom(envelope.getToken()), envelope);
      return verify(shown, proof, exporter, nowMs);
    } catch (InvalidProtocolBufferException _) {
      return malformed("not a SignedSessionToken");
    }
  }

  private Result verify(ShownToken shown, ByteString proof, byte[] exporter, long nowMs) {
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
    if (!proven(token, proof, exporter)) {
      return refused(
          RefusalCode.PROOF_INVALID,
          "the proof is not the token's device key over this connection's exporter");
    }
    return new Result.Valid(shown);
  }

  private static boolean named(String name) {
    return !name.isEmpty() && name.length() <= NAME_LENGTH_MAX;
  }

  private static boolean proven(SessionToken token, ByteString proof, byte[] exporter) {
    try {
      PublicKey device = Ed25519.publicKey(token.getDeviceKey().toByteArray());
      return DeviceProof.verify(device, exporter, proof.toByteArray());
    } catch (GeneralSecurityException _) {
      return false; // a device key that is no point of the curve
    }
  }

  private static Result malformed(String detail) {
    return refused(RefusalCode.TOKEN_MALFORMED, detail);
  }

  private static Result refused(RefusalCode code, String detail) {
    return new Result.Refused(code, detail);
  }
}
