package io.viaduct.cnapt.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.viaduct.cnapt.naming.PortalNames.Outcome;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PortalNamesTest {
  private static final short A = 1;
  private static final short AAAA = 28;
  private static final short HTTPS = 65;
  private static final List<InetAddress> ADDRESSES =
      List.of(InetAddress.ofLiteral("192.0.2.7"), InetAddress.ofLiteral("2001:db8::7"));

  private static final List<InetAddress> LOGIN = List.of(InetAddress.ofLiteral("192.0.2.9"));

  @TempDir Path folder;
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private ApplicationResolvers resolvers;
  private Path conf;
  private PortalNames names;

  @BeforeEach
  void lay() throws Exception {
    conf = Files.writeString(folder.resolve("resolv.conf"), "nameserver 10.71.1.1\n");
    resolvers = ApplicationResolvers.set(List.of(), conf, folder, null);
    InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    names = new PortalNames(loops.next(), at, () -> resolvers);
    names.answer(Map.of("Portal.test", ADDRESSES, "login.test", LOGIN));
  }

  @AfterEach
  void end() throws Exception {
    names.end();
    resolvers.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2000);
  }

  private static byte[] query(String name, short type) {
    ByteBuffer query = ByteBuffer.allocate(512);
    query.putShort((short) 0x1234).putShort((short) 0x0100).putShort((short) 1);
    query.putShort((short) 0).putInt(0);
    for (String label : name.split("\\.")) {
      query.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
    }
    query.put((byte) 0).putShort(type).putShort((short) 1);
    return java.util.Arrays.copyOf(query.array(), query.position());
  }

  private String ask(byte[] query) throws Exception {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.setSoTimeout(5000);
      socket.send(new DatagramPacket(query, query.length, names.address()));
      DatagramPacket answer = new DatagramPacket(new byte[512], 512);
      socket.receive(answer);
      return HexFormat.of().formatHex(answer.getData(), 0, answer.getLength());
    }
  }

  private void send(byte[] query) throws Exception {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(new DatagramPacket(query, query.length, names.address()));
    }
  }

  @Test
  void thePortalsNameHasTheAddressesToWhichTheWayIsOpen() throws Exception {
    assertThat(ask(query("portal.TEST", A))).startsWith("12348180").endsWith("c0000207");
    assertThat(ask(query("portal.test", AAAA))).endsWith("20010db8000000000000000000000007");
    assertThat(ask(query("portal.test", HTTPS))).startsWith("1234818000010000");
    assertThat(names.of(Outcome.ANSWERED)).isEqualTo(3);
  }

  @Test
  void eachHostToWhichThePortalLeadsHasItsOwnAddresses() throws Exception {
    assertThat(ask(query("Login.test", A))).startsWith("12348180").endsWith("c0000209");
    assertThat(ask(query("login.test", AAAA))).as("no answer").startsWith("1234818000010000");
    assertThat(names.of(Outcome.ANSWERED)).isEqualTo(2);
  }

  @Test
  void otherNamesGetNoAnswer() throws Exception {
    send(query("other.test", A));
    send(query("portal.test.other", A));
    send(new byte[] {1, 2, 3});
    ask(query("portal.test", A));
    assertThat(names.of(Outcome.OTHER_NAME)).isEqualTo(2);
    assertThat(names.of(Outcome.MALFORMED)).isEqualTo(1);
    assertThat(names.of(Outcome.ANSWERED)).isEqualTo(1);
  }

  @Test
  void applicationsAskItWhileThePortalIsOpenAndTheirOwnResolversAfterwards() throws Exception {
    assertThat(Files.readString(conf)).endsWith("nameserver 127.0.0.1\n");
    Files.writeString(conf, "nameserver 10.71.2.1\n"); // as a DHCP client does
    await()
        .untilAsserted(() -> assertThat(Files.readString(conf)).endsWith("nameserver 127.0.0.1\n"));
    names.end();
    assertThat(conf).hasContent("nameserver 10.71.2.1\n");
    assertThat(names.address()).isNull();
  }
}
