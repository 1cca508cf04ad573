package io.viaduct.bridge.configuration;

import io.viaduct.service.tls.Ed25519;
import java.security.PublicKey;
import java.util.Base64;

/// Rules that several settings share. A refusal names the rule and the value.
final class Rules {
  static final String NAME = "[A-Za-z0-9._-]{1,64}";

  private Rules() {}

  static PublicKey publicKey(String name, String base64) {
    try {
      return Ed25519.publicKey(Base64.getDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          name + " must be base64 of a raw 32-byte Ed25519 public key: " + e.getMessage(), e);
    }
  }

  static void requirePort(int port, int least) {
    require(port >= least && port <= 65_535, "port must be " + least + "..65535", port);
  }

  static void require(boolean holds, String rule, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got " + value);
    }
  }
}
