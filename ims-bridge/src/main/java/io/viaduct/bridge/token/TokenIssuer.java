package io.viaduct.bridge.token;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Directory;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedDirectory;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.TokenKey;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// Creates session tokens and signs them ([SignedMessage]). Thread-safe.
public final class TokenIssuer {
  /// A token is valid this long before it was issued, because a SNAPT's clock may be late.
  private static final Duration CLOCK_SKEW = Duration.ofSeconds(30);

  private volatile Keys keys;
  private final Duration lifetime;
  private final String audience;
  private final InstantSource clock;

  /// @param accepted former and next keys, whose tokens are valid too
  private record Keys(KeyPair signing, String id, List<PublicKey> accepted) {
    static Keys of(KeyPair signing, List<PublicKey> accepted) {
      return new Keys(signing, Ed25519.id(raw(signing.getPublic())), List.copyOf(accepted));
    }

    /// Leaves the private key out.
    @Override
    public String toString() {
      return "key " + id;
    }
  }

  /// A signed token as a device gets it.
  ///
  /// @param text base64url of the signed token
  public record IssuedToken(String text, String keyId, Instant expires) {
    @Override
    public String toString() {
      return "token of key " + keyId + " until " + expires;
    }
  }

  /// The user and the device that a token is issued to.
  ///
  /// @param account to be billed
  /// @param publicIdentity SIP address of record
  /// @param deviceKey Ed25519 public key of the device, 32 bytes raw
  /// @param icid IMS charging identifier
  /// @param chargingFunctions digests of the core's charging functions
  ///   ([io.viaduct.usage.ChargingFunction])
  public record Holder(
      String account,
      String publicIdentity,
      byte[] deviceKey,
      String icid,
      List<Long> chargingFunctions) {
    /// Copies the list.
    public Holder {
      chargingFunctions = List.copyOf(chargingFunctions);
    }
  }

  /// @param accepted former and next keys, whose tokens are valid too
  public TokenIssuer(
      KeyPair key,
      List<PublicKey> accepted,
      Duration lifetime,
      String audience,
      InstantSource clock) {
    this.keys = Keys.of(key, accepted);
    this.lifetime = lifetime;
    this.audience = audience;
    this.clock = clock;
  }

  /// Replaces the signing key and the accepted keys.
  ///
  /// @param accepted further keys whose tokens are valid
  public void use(KeyPair key, List<PublicKey> accepted) {
    keys = Keys.of(key, accepted);
  }

  public IssuedToken issue(Holder holder) {
    Keys now = keys;
    Instant begins = clock.instant();
    Instant expires = begins.plus(lifetime);
    ByteString token =
        SessionToken.newBuilder()
            .setTokenId(UUID.randomUUID().toString())
            .setAccount(holder.account)
            .setPublicIdentity(holder.publicIdentity)
            .setDeviceKey(ByteString.copyFrom(holder.deviceKey))
            .setAudience(audience)
            .setNotBeforeMs(begins.minus(CLOCK_SKEW).toEpochMilli())
            .setExpiresMs(expires.toEpochMilli())
            .setIcid(holder.icid)
            .addAllChargingFunctions(holder.chargingFunctions)
            .build()
            .toByteString();
    byte[] signed =
        SignedSessionToken.newBuilder()
            .setToken(token)
            .setSignature(SignedMessage.SESSION_TOKEN.sign(now.signing.getPrivate(), token))
            .setKeyId(now.id)
            .build()
            .toByteArray();
    return new IssuedToken(
        Base64.getUrlEncoder().withoutPadding().encodeToString(signed), now.id, expires);
  }

  /// Signs a directory of SNAPTs for devices.
  public SignedDirectory sign(Directory directory) {
    Keys now = keys;
    ByteString bytes = directory.toByteString();
    return SignedDirectory.newBuilder()
        .setDirectory(bytes)
        .setSignature(SignedMessage.SNAPT_DIRECTORY.sign(now.signing.getPrivate(), bytes))
        .setKeyId(now.id)
        .build();
  }

  /// Returns the keys that SNAPTs check tokens with: the signing key first, then the accepted ones.
  public List<TokenKey> publicKeys() {
    Keys now = keys;
    return Stream.concat(Stream.of(now.signing.getPublic()), now.accepted.stream())
        .map(TokenIssuer::raw)
        .map(raw ->
            TokenKey.newBuilder()
                .setKeyId(Ed25519.id(raw))
                .setPublicKey(ByteString.copyFrom(raw))
                .build())
        .distinct()
        .toList();
  }

  /// Returns the age at which a token is replaced: 60 % of its lifetime.
  public Duration renewAfter() {
    return lifetime.multipliedBy(6).dividedBy(10);
  }

  private static byte[] raw(PublicKey key) {
    return Ed25519.raw((EdECPublicKey) key);
  }
}
