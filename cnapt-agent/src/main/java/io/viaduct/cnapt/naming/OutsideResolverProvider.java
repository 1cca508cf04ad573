package io.viaduct.cnapt.naming;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.security.Security;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Passes every `InetAddress` look-up of this process to the agent's [OutsideResolver], including
/// those of libraries. Before the agent has installed one, and in other programs, the JDK's
/// resolver is used.
public final class OutsideResolverProvider extends InetAddressResolverProvider {
  private static volatile @Nullable OutsideResolver installed;

  /// Called by the JDK, which loads this provider as a service.
  public OutsideResolverProvider() {}

  /// Sets the resolver for all look-ups; null restores the JDK's own.
  public static void install(@Nullable OutsideResolver resolver) {
    // The JDK's own cache would keep answers for 30 s, and failures for 10 s, across a change of
    // network.
    Security.setProperty("networkaddress.cache.ttl", "0");
    Security.setProperty("networkaddress.cache.negative.ttl", "0");
    installed = resolver;
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    return new Delegating(configuration.builtinResolver());
  }

  @Override
  public String name() {
    return "viaduct, outside the tunnel";
  }

  private record Delegating(InetAddressResolver builtin) implements InetAddressResolver {
    @Override
    public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
        throws UnknownHostException {
      OutsideResolver ours = installed;
      return ours == null ? builtin.lookupByName(host, policy) : ours.resolve(host).stream();
    }

    @Override
    public String lookupByAddress(byte[] address) throws UnknownHostException {
      if (installed != null) {
        // Reverse look-ups only serve log lines, and are not worth a blocking query.
        throw new UnknownHostException("the agent looks up no names of addresses");
      }
      return builtin.lookupByAddress(address);
    }
  }
}
