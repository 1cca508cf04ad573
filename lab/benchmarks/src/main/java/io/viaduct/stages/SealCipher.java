package io.viaduct.stages;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.ProviderAead;
import java.security.Provider;
import java.security.Security;
import java.util.function.Supplier;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.conscrypt.Conscrypt;
import org.jspecify.annotations.Nullable;

/// Cipher and implementation to measure.
public enum SealCipher {
  NATIVE_AES(AeadAlgorithm.AES_256_GCM, null),
  NATIVE_CHACHA20(AeadAlgorithm.CHACHA20_POLY1305, null),
  JDK_AES(AeadAlgorithm.AES_256_GCM, null),
  JDK_CHACHA20(AeadAlgorithm.CHACHA20_POLY1305, null),
  AMAZON_AES(AeadAlgorithm.AES_256_GCM, () -> AmazonCorrettoCryptoProvider.INSTANCE),
  CONSCRYPT_AES(AeadAlgorithm.AES_256_GCM, Conscrypt::newProvider),
  CONSCRYPT_CHACHA20(AeadAlgorithm.CHACHA20_POLY1305, Conscrypt::newProvider),
  BOUNCY_CASTLE_AES(AeadAlgorithm.AES_256_GCM, BouncyCastleProvider::new),
  BOUNCY_CASTLE_CHACHA20(AeadAlgorithm.CHACHA20_POLY1305, BouncyCastleProvider::new);

  private final AeadAlgorithm algorithm;
  private final @Nullable Supplier<Provider> provider;

  SealCipher(AeadAlgorithm algorithm, @Nullable Supplier<Provider> provider) {
    this.algorithm = algorithm;
    this.provider = provider;
  }

  AeadAlgorithm algorithm() {
    return algorithm;
  }

  /// Makes a cipher. A provider other than the JDK's becomes the first of this JVM, which runs only
  /// one benchmark.
  Aead make() {
    if (provider != null) {
      Security.insertProviderAt(provider.get(), 1);
    }
    return switch (this) {
      case NATIVE_AES, NATIVE_CHACHA20 -> WarmCiphers.fastest(algorithm);
      default -> new ProviderAead(algorithm);
    };
  }
}
