package io.viaduct.cnapt;

import io.netty.handler.ssl.SslContext;
import io.viaduct.service.tls.TlsMaterial;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The TLS context of the control connection, made once, on the first attempt: reading certificates
/// and loading TLS takes longer than everything else of the start. Any thread may ask.
final class TrustedAuthorities implements Supplier<SslContext> {
  private final Path trust;
  private @Nullable SslContext made;

  TrustedAuthorities(Path trust) {
    this.trust = trust;
  }

  @Override
  public synchronized SslContext get() {
    SslContext context = made;
    if (context == null) {
      context = TlsMaterial.anonymousClient(trust);
      made = context;
    }
    return context;
  }
}
