package io.viaduct.host.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.StringTokenizer;

/// Searches the kernel's lists of sockets, /proc/net/{tcp,udp}{,6} (proc_net_tcp.txt). They have
/// one line per socket, with addresses as hexadecimal 32-bit words in the machine's byte order.
final class SocketTable {
  /// Lines after which the search ends.
  static final int LINES_MAX = 200_000;

  private static final String ANY_PORT = "0000";

  private SocketTable() {}

  /// Returns the inode of the socket that best fits a flow.
  ///
  /// @param folder holds the tables
  /// @return 0 if none fits
  static long inode(
      Path folder, Transport transport, InetSocketAddress local, InetSocketAddress remote)
      throws IOException {
    Search search = new Search(local, remote);
    if (local.getAddress() instanceof Inet4Address) {
      search.in(folder.resolve(transport.table()));
    }
    // An IPv6 socket may carry IPv4 in mapped addresses, or accept both.
    if (search.rank < Search.EXACT) {
      search.in(folder.resolve(transport.table() + "6"));
    }
    return search.inode;
  }

  private static final class Search {
    private static final int EXACT = 3;
    private final String localPort;
    private final String remotePort;
    private final String local;
    private final String remote;
    private final String localMapped;
    private final String remoteMapped;
    private int rank;
    private long inode;

    private Search(InetSocketAddress local, InetSocketAddress remote) {
      this.localPort = "%04X".formatted(local.getPort());
      this.remotePort = "%04X".formatted(remote.getPort());
      this.local = hexadecimal(local.getAddress().getAddress());
      this.remote = hexadecimal(remote.getAddress().getAddress());
      this.localMapped = mapped(local.getAddress().getAddress());
      this.remoteMapped = mapped(remote.getAddress().getAddress());
    }

    private void in(Path table) throws IOException {
      if (!Files.exists(table)) {
        return; // a kernel without IPv6
      }
      try (BufferedReader lines = Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
        lines.readLine(); // the column titles
        String line = lines.readLine();
        for (int i = 0; line != null && i < LINES_MAX && rank < EXACT; i++) {
          if (line.contains(localPort)) {
            look(new StringTokenizer(line));
          }
          line = lines.readLine();
        }
      }
    }

    private void look(StringTokenizer fields) {
      if (fields.countTokens() < 10) {
        return;
      }
      fields.nextToken();
      String here = fields.nextToken();
      String there = fields.nextToken();
      int found = rank(here, there);
      if (found <= rank) {
        return;
      }
      for (int skipped = 3; skipped < 9; skipped++) {
        fields.nextToken();
      }
      try {
        inode = Long.parseLong(fields.nextToken());
        rank = found;
      } catch (NumberFormatException _) {
        return; // not a socket's line
      }
    }

    private int rank(String here, String there) {
      int colon = here.indexOf(':');
      int thereColon = there.indexOf(':');
      if (colon < 0 || thereColon < 0 || !here.substring(colon + 1).equals(localPort)) {
        return 0;
      }
      String address = here.substring(0, colon);
      boolean own = address.equals(local) || address.equals(localMapped);
      String peerPort = there.substring(thereColon + 1);
      String peer = there.substring(0, thereColon);
      if (peerPort.equals(remotePort) && (peer.equals(remote) || peer.equals(remoteMapped))) {
        return own ? EXACT : 0;
      }
      if (!peerPort.equals(ANY_PORT)) {
        return 0; // connected to another peer
      }
      return own ? 2 : isZero(address) ? 1 : 0;
    }

    private static boolean isZero(String hexadecimal) {
      return hexadecimal.chars().allMatch(c -> c == '0');
    }

    private static String mapped(byte[] address) {
      if (address.length != 4) {
        return "";
      }
      byte[] six = new byte[16];
      six[10] = (byte) 0xff;
      six[11] = (byte) 0xff;
      System.arraycopy(address, 0, six, 12, 4);
      return hexadecimal(six);
    }

    private static String hexadecimal(byte[] address) {
      byte[] turned = address.clone();
      if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
        for (int i = 0; i < address.length; i++) {
          turned[i] = address[(i & ~3) + 3 - (i & 3)];
        }
      }
      return HexFormat.of().withUpperCase().formatHex(turned);
    }
  }
}
