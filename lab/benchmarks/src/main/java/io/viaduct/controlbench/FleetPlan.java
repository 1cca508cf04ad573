package io.viaduct.controlbench;

import io.viaduct.service.digest.Sha256;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.sip.digest.DigestAlgorithm;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;

/// Names, addresses and secrets of the members of a fleet.
final class FleetPlan {
  /// All devices; each has an address of its own.
  static final String DEVICES = "10.64.0.0/16";

  private static final int DEVICES_MAX = 60_000;
  private static final int SNAPTS_MAX = 10_000;

  private FleetPlan() {}

  /// @param number from 0
  static String address(int number) {
    requireBelow(DEVICES_MAX, number);
    return "10.64.%d.%d".formatted((number + 256) >> 8, number & 0xff);
  }

  static String user(int number) {
    return "device-" + number;
  }

  /// Returns the public key of a device: 32 bytes raw, the same in each run, because billing counts
  /// the devices of a user.
  static byte[] key(int number) {
    byte[] secret = Sha256.of(password(user(number)));
    EdECPrivateKeySpec spec = new EdECPrivateKeySpec(NamedParameterSpec.ED25519, secret);
    try {
      EdECPrivateKey key = (EdECPrivateKey) KeyFactory.getInstance("Ed25519").generatePrivate(spec);
      return Ed25519.raw((EdECPublicKey) Ed25519.pairOf(key).getPublic());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must have Ed25519", e);
    }
  }

  static String password(String user) {
    return "secret-of-" + user;
  }

  /// Returns the digest of a user in the form of billing's import; with it billing computes no slow
  /// hash. The agent is offered SHA-256 only.
  static String subscriber(int number, String realm) {
    String user = user(number);
    return "  - {user: %s, ha1: {sha-256: \"%s\"}}%n"
        .formatted(user, DigestAlgorithm.SHA_256.ha1(user, realm, password(user)));
  }

  /// @param number from 0
  static String snapt(int number) {
    return "relay-%04d".formatted(number);
  }

  /// Returns the address that a SNAPT announces; nobody listens there.
  static String snaptAddress(int number) {
    requireBelow(SNAPTS_MAX, number);
    return "10.80.%d.%d".formatted(number >> 8, number & 0xff);
  }

  private static void requireBelow(int max, int number) {
    if (number < 0 || number >= max) {
      throw new IllegalArgumentException(
          "the number must be below %d, got %d".formatted(max, number));
    }
  }
}
