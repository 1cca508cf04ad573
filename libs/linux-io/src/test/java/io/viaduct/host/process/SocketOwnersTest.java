package io.viaduct.host.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketOwnersTest {
  private final SocketOwners owners = new SocketOwners();
  private final int self = (int) ProcessHandle.current().pid();

  private static InetSocketAddress local(int port) throws Exception {
    return new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port);
  }

  @Test
  void theProcessOfATcpConnectionIsFoundByItsAddresses() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        Socket client = new Socket("127.0.0.1", server.getLocalPort());
        Socket _ = server.accept()) {
      var owner =
          owners.find(Transport.TCP, local(client.getLocalPort()), local(server.getLocalPort()));
      assertThat(owner).map(SocketOwner::pid).hasValue(self);
      String name = Files.readString(Path.of("/proc/self/comm")).strip();
      assertThat(owner).map(SocketOwner::name).hasValue(name);
      assertThat(client.getLocalAddress()).isInstanceOf(Inet4Address.class);
    }
  }

  @Test
  void anUnconnectedUdpSocketOfAnyAddressIsFoundByItsPort() throws Exception {
    try (DatagramSocket socket = new DatagramSocket()) {
      var owner =
          owners.find(
              Transport.UDP,
              local(socket.getLocalPort()),
              new InetSocketAddress("203.0.113.1", 53));
      assertThat(owner).map(SocketOwner::pid).hasValue(self);
    }
  }

  @Test
  void aSocketOfAnotherProcessIsThatProcesss() throws Exception {
    String program =
        "import socket,sys;s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);"
            + "s.bind(('127.0.0.1',0));print(s.getsockname()[1],flush=True);sys.stdin.read()";
    Process other = new ProcessBuilder("python3", "-c", program).start();
    try {
      int port = Integer.parseInt(other.inputReader().readLine());
      var owner = owners.find(Transport.UDP, local(port), local(9));
      assertThat(owner)
          .map(SocketOwner::name)
          .hasValueSatisfying(n -> assertThat(n).contains("python"));
    } finally {
      other.destroy();
      other.waitFor();
    }
  }

  @Test
  void aSocketThatIsClosedHasNoOwner() throws Exception {
    int port;
    try (DatagramSocket socket = new DatagramSocket()) {
      port = socket.getLocalPort();
      assertThat(owners.find(Transport.UDP, local(port), local(9))).isPresent();
    }
    assertThat(owners.find(Transport.UDP, local(port), local(9))).isEmpty();
    assertThat(owners.unknownSockets()).isEqualTo(1);
  }

  @Test
  void aSocketWhoseProcessIsNotSeenHasNoOwner(@TempDir Path proc) throws Exception {
    Path tables = Files.createDirectories(proc.resolve("net"));
    Files.writeString(
        tables.resolve("tcp"),
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 0200007F:0050 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0
        """);
    SocketOwners seen = new SocketOwners(proc, tables);
    var remote = new InetSocketAddress("127.0.0.2", 80);
    assertThat(seen.find(Transport.TCP, local(8080), remote)).isEmpty();
    assertThat(seen.unknownProcesses()).isEqualTo(1);
    Path fd = Files.createDirectories(proc.resolve("42").resolve("fd"));
    Files.writeString(proc.resolve("42").resolve("comm"), "curl\n");
    Files.createSymbolicLink(fd.resolve("3"), Path.of("socket:[4711]"));
    assertThat(seen.find(Transport.TCP, local(8080), remote)).hasValue(new SocketOwner(42, "curl"));
    Files.delete(fd.resolve("3"));
    assertThat(seen.find(Transport.TCP, local(8080), remote)).isEmpty();
  }

  @Test
  void linesThatAreNoSocketsAreSkipped(@TempDir Path proc) throws Exception {
    Files.writeString(
        proc.resolve("udp"),
        "legend\n 0: 0100007F:1F90\n x y z 1F90 1 1 1 1 1 1 1\n 1: 0100007F:1F90 00000000:0000 07 0 0 0 0 0 x\n");
    SocketOwners seen = new SocketOwners(proc, proc);
    assertThat(seen.find(Transport.UDP, local(8080), local(9))).isEmpty();
    assertThat(seen.unknownSockets()).isEqualTo(1);
  }
}
