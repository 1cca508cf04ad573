package io.viaduct.tunnel.key;

/// The two authenticated ciphers of docs/protocol.md "Keys"; both take 32-byte keys, 12-byte
/// nonces, 16-byte tags.
public enum AeadAlgorithm {
  AES_256_GCM("AES/GCM/NoPadding", "AES"),
  CHACHA20_POLY1305("ChaCha20-Poly1305", "ChaCha20");

  public static final int KEY_BYTES = 32;
  public static final int NONCE_BYTES = 12;
  public static final int TAG_BYTES = 16;

  private final String transformation;
  private final String keyAlgorithm;

  AeadAlgorithm(String transformation, String keyAlgorithm) {
    this.transformation = transformation;
    this.keyAlgorithm = keyAlgorithm;
  }

  String transformation() {
    return transformation;
  }

  String keyAlgorithm() {
    return keyAlgorithm;
  }
}
