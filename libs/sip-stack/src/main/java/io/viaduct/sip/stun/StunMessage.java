package io.viaduct.sip.stun;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A STUN binding request or its success response (RFC 8489): the only STUN messages of a SIP port.
///
/// ```
/// |0 0| type (14) | length (16): bytes behind the header, a multiple of 4 |
/// | magic cookie 2112a442                                                 |
/// | transaction id (96)                                                   |
/// | attributes: type (16), length (16), value, padding to 4 bytes ...     |
/// ```
///
/// Both messages carry SOFTWARE. In a response it names the run of the server, so a client notices
/// a restart. In a request it is as long as needed for the request to be as long as its response:
/// such a request amplifies nothing.
public sealed interface StunMessage {
  /// Longest message that is read: it fits every path (RFC 8489 section 6.1).
  int BYTES_MAX = 548;

  int HEADER_BYTES = 20;
  int COOKIE = 0x2112A442;
  int BINDING_REQUEST = 0x0001;
  int BINDING_SUCCESS = 0x0101;
  int XOR_MAPPED_ADDRESS = 0x0020;
  int SOFTWARE = 0x8022;

  /// Bytes of the word that names a run of a server.
  int RUN_BYTES = 4;

  /// A question for the address that the sender has.
  ///
  /// @param bytes length of the request
  record Request(TransactionId id, int bytes) implements StunMessage {}

  /// The answer.
  ///
  /// @param mapped address and port that the request came from
  /// @param run the server's SOFTWARE; empty if it sends none
  record Success(TransactionId id, InetSocketAddress mapped, String run) implements StunMessage {}

  /// Returns whether a datagram claims to be STUN and not SIP (RFC 5626 section 8).
  static boolean isClaimed(byte[] datagram) {
    return datagram.length >= HEADER_BYTES
        && (datagram[0] & 0xC0) == 0
        && ByteBuffer.wrap(datagram).getInt(Integer.BYTES) == COOKIE;
  }

  /// Reads a message. @return null if it is no binding request or success response, is malformed,
  /// or has an attribute that must be understood and is not
  static @Nullable StunMessage read(byte[] datagram) {
    if (!isClaimed(datagram) || datagram.length > BYTES_MAX) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(datagram);
    int type = in.getShort() & 0xFFFF;
    int length = in.getShort() & 0xFFFF;
    if (length != datagram.length - HEADER_BYTES || length % 4 != 0) {
      return null;
    }
    in.getInt();
    TransactionId id = new TransactionId(in.getLong(), in.getInt());
    @Nullable InetSocketAddress mapped = null;
    String run = "";
    while (in.hasRemaining()) {
      int attribute = in.getShort() & 0xFFFF;
      int bytes = in.getShort() & 0xFFFF;
      int padded = bytes + 3 & ~3;
      if (padded > in.remaining()) {
        return null;
      }
      ByteBuffer value = in.slice(in.position(), bytes);
      in.position(in.position() + padded);
      if (attribute == XOR_MAPPED_ADDRESS && type == BINDING_SUCCESS) {
        mapped = mapped(value, datagram);
      } else if (attribute == SOFTWARE) {
        run = StandardCharsets.UTF_8.decode(value).toString();
      } else if (attribute < 0x8000) {
        return null;
      }
    }
    return switch (type) {
      case BINDING_REQUEST -> new Request(id, datagram.length);
      case BINDING_SUCCESS -> mapped == null ? null : new Success(id, mapped, run);
      default -> null;
    };
  }

  private static @Nullable InetSocketAddress mapped(ByteBuffer value, byte[] message) {
    int bytes = value.remaining() - 4;
    if (bytes != 4 && bytes != 16) {
      return null;
    }
    value.get();
    if (value.get() != (bytes == 4 ? 1 : 2)) {
      return null;
    }
    int port = value.getShort() & 0xFFFF ^ COOKIE >>> 16;
    byte[] address = new byte[bytes];
    value.get(address);
    mask(address, message);
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), port);
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /// The mask is the cookie and the transaction id, as they stand in the header.
  private static void mask(byte[] address, byte[] message) {
    for (int i = 0; i < address.length; i++) {
      address[i] ^= message[Integer.BYTES + i];
    }
  }

  /// Writes a request that is as long as its response.
  ///
  /// @param isIpv6 true if the server is reached by IPv6
  static byte[] request(TransactionId id, boolean isIpv6) {
    byte[] padding = new byte[responseBytes(isIpv6) - HEADER_BYTES - 4];
    Arrays.fill(padding, (byte) ' ');
    ByteBuffer out = header(BINDING_REQUEST, responseBytes(isIpv6), id);
    return attribute(out, SOFTWARE, padding).array();
  }

  /// Writes a success response.
  ///
  /// @param run word of [#RUN_BYTES] ASCII characters
  static byte[] success(Success answer) {
    byte[] address = answer.mapped().getAddress().getAddress();
    ByteBuffer out = header(BINDING_SUCCESS, responseBytes(address.length == 16), answer.id());
    mask(address, out.array());
    ByteBuffer value = ByteBuffer.allocate(4 + address.length);
    value.putShort((short) (address.length == 4 ? 1 : 2));
    value.putShort((short) (answer.mapped().getPort() ^ COOKIE >>> 16)).put(address);
    attribute(out, XOR_MAPPED_ADDRESS, value.array());
    return attribute(out, SOFTWARE, answer.run().getBytes(StandardCharsets.US_ASCII)).array();
  }

  /// Returns the length of a response of ours.
  static int responseBytes(boolean isIpv6) {
    return HEADER_BYTES + 4 + 4 + (isIpv6 ? 16 : 4) + 4 + RUN_BYTES;
  }

  private static ByteBuffer header(int type, int bytes, TransactionId id) {
    return ByteBuffer.allocate(bytes)
        .putShort((short) type)
        .putShort((short) (bytes - HEADER_BYTES))
        .putInt(COOKIE)
        .putLong(id.high())
        .putInt(id.low());
  }

  private static ByteBuffer attribute(ByteBuffer out, int type, byte[] value) {
    return out.putShort((short) type).putShort((short) value.length).put(value);
  }
}
