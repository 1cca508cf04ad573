package io.viaduct.cnapt.naming;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.security.Security;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Gives every `InetAddress` look-up of this process to the agent's [OutsideResolver], whichever
/// library makes it. Before the agent has one, and in other programs, the JDK's own answers.
public final class OutsideResolverProvider extends InetAddressResolverProvider {
  private static volatile @Nullable OutsideResolver installed;

  /// For the JDK, which finds it as a service.
  public OutsideResolverProvider() {}

  /// Look-ups are this resolver's from now on; null: the JDK's own again.
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
        // A name for a log line is not worth a look-up that may wait.
        throw new UnknownHostException("the agent looks up no names of addresses");
      }
      return builtin.lookupByAddress(address);
    }
  }
}
