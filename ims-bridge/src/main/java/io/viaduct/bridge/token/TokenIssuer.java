package io.viaduct.bridge.token;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.TokenKey;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// Makes session tokens and signs them ([SignedMessage]). Thread-safe.
public final class TokenIssuer {
  /// A SNAPT's clock may be so much behind.
  private static final Duration CLOCK_SKEW = Duration.ofSeconds(30);

  private final KeyPair key;
  private final String keyId;
  private final List<PublicKey> accepted;
  private final Duration lifetime;
  private final String audience;
  private final InstantSource clock;

  /// A token as it is handed out.
  ///
  /// @param text base64url of the signed token
  public record IssuedToken(String text, String keyId, Instant expires) {
    @Override
    public String toString() {
      return "token of key " + keyId + " until " + expires;
    }
  }

  /// Whom a token is for.
  ///
  /// @param account whom to bill
  /// @param publicIdentity SIP address of record
  /// @param deviceKey Ed25519 public key of the device, 32 bytes raw
  /// @param icid IMS charging identifier
  public record Holder(String account, String publicIdentity, byte[] deviceKey, String icid) {}

  /// @param accepted keys of other times whose tokens are good too
  public TokenIssuer(
      KeyPair key,
      List<PublicKey> accepted,
      Duration lifetime,
      String audience,
      InstantSource clock) {
    this.key = key;
    this.accepted = List.copyOf(accepted);
    this.keyId = keyId(raw(key.getPublic()));
    this.lifetime = lifetime;
    this.audience = audience;
    this.clock = clock;
  }

  public IssuedToken issue(Holder holder) {
    Instant now = clock.instant();
    Instant expires = now.plus(lifetime);
    ByteString token =
        SessionToken.newBuilder()
            .setTokenId(UUID.randomUUID().toString())
            .setAccount(holder.account)
            .setPublicIdentity(holder.publicIdentity)
            .setDeviceKey(ByteString.copyFrom(holder.deviceKey))
            .setAudience(audience)
            .setNotBeforeMs(now.minus(CLOCK_SKEW).toEpochMilli())
            .setExpiresMs(expires.toEpochMilli())
            .setIcid(holder.icid)
            .build()
            .toByteString();
    byte[] signed =
        SignedSessionToken.newBuilder()
            .setToken(token)
            .setSignature(SignedMessage.SESSION_TOKEN.sign(key.getPrivate(), token))
            .setKeyId(keyId)
            .build()
            .toByteArray();
    return new IssuedToken(
        Base64.getUrlEncoder().withoutPadding().encodeToString(signed), keyId, expires);
  }

  /// What SNAPTs need to check tokens: the key that signs, then the others.
  public List<TokenKey> publicKeys() {
    return Stream.concat(Stream.of(key.getPublic()), accepted.stream())
        .map(TokenIssuer::raw)
        .map(raw ->
            TokenKey.newBuilder()
                .setKeyId(keyId(raw))
                .setPublicKey(ByteString.copyFrom(raw))
                .build())
        .distinct()
        .toList();
  }

  /// After this time a holder should have its next token.
  public Duration renewAfter() {
    return lifetime.multipliedBy(6).dividedBy(10);
  }

  private static byte[] raw(PublicKey key) {
    return Ed25519.raw((EdECPublicKey) key);
  }

  /// Eight bytes of the key's hash: enough to tell keys apart, not a proof of anything.
  private static String keyId(byte[] raw) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(raw);
      return HexFormat.of().formatHex(Arrays.copyOf(hash, Long.BYTES));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must have SHA-256", e);
    }
  }
}
