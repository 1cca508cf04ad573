package io.viaduct.cnapt.naming;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/// A resolver process on the address of its first argument. Answers every query for an IPv4 address
/// (RFC 1035) with its second argument and a TTL of 12 seconds, or with the address of the argument
/// `NAME=ADDRESS`, if one has the query's name. Answers all other queries with an empty answer.
public final class LabNameServer {
  /// Lifetime of each answer.
  static final int TTL_SECONDS = 12;

  private static final int TYPE_A = 1;

  private LabNameServer() {}

  public static void main(String[] arguments) throws Exception {
    Map<String, byte[]> addresses = new HashMap<>();
    for (int i = 2; i < arguments.length; i++) {
      int equals = arguments[i].indexOf('=');
      addresses.put(arguments[i].substring(0, equals), address(arguments[i].substring(equals + 1)));
    }
    byte[] other = address(arguments[1]);
    try (DatagramSocket socket = new DatagramSocket(53, InetAddress.ofLiteral(arguments[0]))) {
      System.out.println("serving");
      System.out.flush();
      while (true) {
        DatagramPacket query = new DatagramPacket(new byte[512], 512);
        socket.receive(query);
        byte[] answer = answer(query, addresses.getOrDefault(name(query.getData()), other));
        socket.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
      }
    }
  }

  private static byte[] address(String literal) {
    return InetAddress.ofLiteral(literal).getAddress();
  }

  /// Returns the name that a query asks for.
  static String name(byte[] query) {
    StringBuilder name = new StringBuilder();
    for (int at = 12; query[at] != 0; at += query[at] + 1) {
      name.append(at == 12 ? "" : ".").append(new String(query, at + 1, query[at], US_ASCII));
    }
    return name.toString();
  }

  /// Returns whether a query asks for an address of IPv4.
  static boolean isForIpv4(byte[] query) {
    return ByteBuffer.wrap(query).getShort(end(query) - 4) == TYPE_A;
  }

  private static int end(byte[] query) {
    int end = 12;
    while (query[end] != 0) {
      end += query[end] + 1;
    }
    return end + 5; // the terminating zero, type and class
  }

  /// Returns the answer to a query: the address, if one of IPv4 is asked for.
  static byte[] answer(DatagramPacket query, byte[] address) {
    byte[] in = query.getData();
    int end = end(in);
    boolean known = isForIpv4(in);
    ByteBuffer out = ByteBuffer.allocate(end + (known ? 16 : 0));
    out.put(in, 0, end);
    out.putShort(2, (short) 0x8180).putShort(6, (short) (known ? 1 : 0)).putInt(8, 0);
    if (known) {
      out.putShort((short) 0xC00C).putShort((short) TYPE_A).putShort((short) 1);
      out.putInt(TTL_SECONDS).putShort((short) 4).put(address);
    }
    return out.array();
  }
}
