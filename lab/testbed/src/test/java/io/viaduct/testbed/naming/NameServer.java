package io.viaduct.testbed.naming;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A resolver (RFC 1035) on a thread of a namespace: knows IPv4 addresses of some names for ten
/// seconds each, and remembers who asked.
final class NameServer {
  private static final int TTL_SECONDS = 10;
  private static final int TYPE_A = 1;
  private static final int HEADER_BYTES = 12;
  private static final int NO_ERROR = 0x8180;
  private static final int NAME_ERROR = 0x8183;

  private final Map<String, String> names;
  private final List<String> asked = new CopyOnWriteArrayList<>();

  private NameServer(Map<String, String> names) {
    this.names = new ConcurrentHashMap<>(names);
  }

  /// Starts one on port 53 of an address.
  static NameServer start(NetworkNamespace in, String address, Map<String, String> names) {
    NameServer server = new NameServer(names);
    DatagramSocket socket = in.call(() -> new DatagramSocket(53, InetAddress.ofLiteral(address)));
    Thread.ofPlatform().daemon().name("names " + address).start(() -> server.serve(socket));
    return server;
  }

  /// Does not know a name any more.
  void forget(String name) {
    names.remove(name);
  }

  /// Returns the sources of the questions for a name until now.
  List<String> askedBy(String name) {
    return asked.stream()
        .filter(each -> each.startsWith(name + " "))
        .map(each -> each.substring(name.length() + 1))
        .distinct()
        .toList();
  }

  private void serve(DatagramSocket socket) {
    try (socket) {
      while (true) {
        DatagramPacket query = new DatagramPacket(new byte[512], 512);
        socket.receive(query);
        byte[] answer = answer(query);
        socket.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
      }
    } catch (IOException e) {
      throw new IllegalStateException("the resolver has ended", e);
    }
  }

  private byte[] answer(DatagramPacket query) {
    byte[] in = query.getData();
    StringBuilder name = new StringBuilder();
    int at = HEADER_BYTES;
    for (; in[at] != 0; at += in[at] + 1) {
      name.append(name.isEmpty() ? "" : ".").append(new String(in, at + 1, in[at], US_ASCII));
    }
    int end = at + 1 + 2 * Short.BYTES; // type and class
    asked.add(name + " " + query.getAddress().getHostAddress());
    String known = names.get(name.toString());
    boolean told = known != null && ByteBuffer.wrap(in).getShort(at + 1) == TYPE_A;
    ByteBuffer out = ByteBuffer.allocate(end + (told ? 16 : 0)).put(in, 0, end);
    out.putShort(2, (short) (known == null ? NAME_ERROR : NO_ERROR));
    out.putShort(6, (short) (told ? 1 : 0)).putInt(8, 0);
    if (told) {
      out.putShort((short) 0xC00C).putShort((short) TYPE_A).putShort((short) 1);
      out.putInt(TTL_SECONDS).putShort((short) 4);
      out.put(InetAddress.ofLiteral(known).getAddress());
    }
    return out.array();
  }
}
