package io.viaduct.sip.useragent;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/// Resolves one name for tests: its first address belongs to no server. All other names are
/// resolved as usual.
public final class TestNames extends InetAddressResolverProvider {
  static final String TWO_ADDRESSES = "two-addresses.test";

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver usual = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        return host.equals(TWO_ADDRESSES)
            ? Stream.of(InetAddress.ofLiteral("127.0.0.2"), InetAddress.ofLiteral("127.0.0.1"))
            : usual.lookupByName(host, policy);
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        return usual.lookupByAddress(address);
      }
    };
  }

  @Override
  public String name() {
    return "test names";
  }
}
