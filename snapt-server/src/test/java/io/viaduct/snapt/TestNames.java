package io.viaduct.snapt;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.net.spi.InetAddressResolverProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Names with several addresses, as DNS would give them. All other names are looked up as without
/// this class. The JDK finds it by `META-INF/services`, and remembers answers for 30 s.
public final class TestNames extends InetAddressResolverProvider {
  private static final Map<String, List<InetAddress>> KNOWN = new ConcurrentHashMap<>();

  /// Makes a name known. A name must keep its addresses.
  ///
  /// @param addresses literals, in the order in which they are tried
  public static void put(String name, String... addresses) {
    KNOWN.put(name, Stream.of(addresses).map(InetAddress::ofLiteral).toList());
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver usual = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        List<InetAddress> known = KNOWN.get(host);
        return known == null ? usual.lookupByName(host, policy) : known.stream();
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        return usual.lookupByAddress(address);
      }
    };
  }

  @Override
  public String name() {
    return "names of tests";
  }
}
