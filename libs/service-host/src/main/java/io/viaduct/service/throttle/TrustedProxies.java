package io.viaduct.service.throttle;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.function.Function;

/// Determines a visitor's address from `X-Forwarded-For`, which is trusted only if a listed proxy
/// sent it. Other senders are ignored, because a visitor could write any address into the header.
public final class TrustedProxies {
  /// The header to which each proxy appends the address of its client.
  private static final String HEADER = "X-Forwarded-For";

  private final List<Network> networks;

  /// @param prefixBits leading bits that all addresses of the network share with `address`
  private record Network(byte[] address, int prefixBits, String text) {
    static Network parse(String text) {
      int slash = text.indexOf('/');
      try {
        byte[] address =
            InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash)).getAddress();
        int bits = slash < 0 ? address.length * 8 : Integer.parseInt(text.substring(slash + 1));
        if (bits >= 0 && bits <= address.length * 8) {
          return new Network(address, bits, text);
        }
      } catch (IllegalArgumentException e) {
        // reported below, with the expected form
      }
      throw new IllegalArgumentException(
          "a trusted proxy must be an address or a network such as 10.0.0.0/8, got '" + text + "'");
    }

    boolean contains(InetAddress other) {
      byte[] bytes = other.getAddress();
      if (bytes.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < prefixBits; bit++) {
        int mask = 0x80 >>> (bit & 7);
        if (((bytes[bit >>> 3] ^ address[bit >>> 3]) & mask) != 0) {
          return false;
        }
      }
      return true;
    }
  }

  /// @param proxies addresses or networks (CIDR)
  /// @throws IllegalArgumentException naming an entry that is neither
  @JsonCreator
  public TrustedProxies(List<String> proxies) {
    networks = proxies.stream().map(Network::parse).toList();
  }

  @JsonValue
  List<String> proxies() {
    return networks.stream().map(Network::text).toList();
  }

  /// Returns the address of the visitor of an HTTP request: the last address that is not a trusted
  /// proxy's. If an entry is not an address, the visitor is the proxy that wrote it.
  ///
  /// @param remote numeric address of the other end of the connection
  /// @param headers returns the values of a header of the request, in their order
  public InetAddress visitor(String remote, Function<String, Enumeration<String>> headers) {
    return visitor(remote, Collections.list(headers.apply(HEADER)));
  }

  InetAddress visitor(String remote, List<String> forwardedFor) {
    InetAddress visitor = InetAddress.ofLiteral(remote);
    if (forwardedFor.isEmpty()) {
      return visitor;
    }
    String entries = String.join(",", forwardedFor);
    for (String entry : Arrays.asList(entries.split(",", -1)).reversed()) {
      if (!isTrusted(visitor)) {
        return visitor;
      }
      try {
        visitor = InetAddress.ofLiteral(entry.strip());
      } catch (IllegalArgumentException e) {
        return visitor;
      }
    }
    return visitor;
  }

  private boolean isTrusted(InetAddress address) {
    return networks.stream().anyMatch(network -> network.contains(address));
  }

  @Override
  public String toString() {
    return proxies().toString();
  }
}
