package io.viaduct.service.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.viaduct.service.configuration.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSessionContext;

/// TLS files that can be replaced while connections are open. Each handshake uses the newest files;
/// open connections keep theirs. Sessions of former files are not resumed, because a new context
/// has an empty session cache. So the removal of an authority takes effect at once.
public final class ExchangeableTls implements Supplier<TlsMaterial> {
  private final List<Exchangeable> contexts = new ArrayList<>(); // guarded by this
  private volatile TlsMaterial material; // written under this

  /// @param material first files
  public ExchangeableTls(TlsMaterial material) {
    this.material = material;
  }

  /// Makes a context from checked files.
  @FunctionalInterface
  public interface Recipe {
    SslContext make(TlsMaterial material) throws SSLException;
  }

  /// Returns the files in use.
  @Override
  public TlsMaterial get() {
    return material;
  }

  /// Returns a context whose handshakes use the newest files.
  ///
  /// @param recipe called now and at each replacement of the files
  public synchronized SslContext context(Recipe recipe) {
    Exchangeable context = new Exchangeable(recipe, contextOf(recipe, material));
    contexts.add(context);
    return context;
  }

  /// Makes all contexts from new files, but does not use them yet.
  ///
  /// @param next checked files
  /// @return action that puts the new contexts into use
  /// @throws ConfigurationException if the JDK refuses the files
  public synchronized Runnable prepare(TlsMaterial next) {
    List<Runnable> exchanges = new ArrayList<>();
    for (Exchangeable context : contexts) {
      SslContext replacement = contextOf(context.recipe, next);
      exchanges.add(() -> context.current = replacement);
    }
    return () -> {
      synchronized (this) {
        exchanges.forEach(Runnable::run);
        material = next;
      }
    };
  }

  private static SslContext contextOf(Recipe recipe, TlsMaterial material) {
    try {
      return recipe.make(material);
    } catch (SSLException e) {
      throw new ConfigurationException("tls: the files were read but cannot be used: " + e);
    }
  }

  private static final class Exchangeable extends SslContext {
    private final Recipe recipe;
    private volatile SslContext current;

    private Exchangeable(Recipe recipe, SslContext current) {
      this.recipe = recipe;
      this.current = current;
    }

    @Override
    public boolean isClient() {
      return current.isClient();
    }

    @Override
    public List<String> cipherSuites() {
      return current.cipherSuites();
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in SslContext, so it must be implemented
    public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
      return current.applicationProtocolNegotiator();
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator) {
      return current.newEngine(allocator);
    }

    @Override
    public SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
      return current.newEngine(allocator, host, port);
    }

    @Override
    public SSLSessionContext sessionContext() {
      return current.sessionContext();
    }
  }
}
