package io.viaduct.service.throttle;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Knows the proxies whose `X-Forwarded-For` is believed, and finds a visitor's address by it. The
/// header of anybody else is ignored: a visitor could write any address into it.
public final class TrustedProxies {
  private final List<Network> networks;

  /// @param prefixBits leading bits that an address of the network has in common with `address`
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
        // said below, with what is expected
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

  /// @param proxies addresses and networks (CIDR)
  /// @throws IllegalArgumentException naming the one that is neither
  @JsonCreator
  public TrustedProxies(List<String> proxies) {
    networks = proxies.stream().map(Network::parse).toList();
  }

  @JsonValue
  List<String> proxies() {
    return networks.stream().map(Network::text).toList();
  }

  /// Returns the address of the visitor: the last one that no trusted proxy has. An entry that is
  /// no address ends the search at the proxy that wrote it.
  ///
  /// @param remote the other end of the connection
  /// @param forwardedFor the header `X-Forwarded-For`, several of them joined by commas
  public InetAddress visitor(InetAddress remote, @Nullable String forwardedFor) {
    InetAddress visitor = remote;
    if (forwardedFor == null) {
      return visitor;
    }
    for (String entry : Arrays.asList(forwardedFor.split(",", -1)).reversed()) {
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
