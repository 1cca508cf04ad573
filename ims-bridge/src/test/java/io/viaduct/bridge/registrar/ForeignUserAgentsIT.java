package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.viaduct.bridge.BridgeRig;
import io.viaduct.sip.Transport;
import io.viaduct.sip.aka.AkaKeys;
import io.viaduct.sip.useragent.UserAgent;
import io.viaduct.sip.useragent.UserAgentListener;
import io.viaduct.usage.v1.Card;
import io.viaduct.usage.v1.Subscriber;
import java.io.File;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Tests with user agents of other projects: sipp, sipsak, baresip. A user agent that is not
/// installed is skipped. In their versions of Debian 12 all three support only MD5; the bridge also
/// offers SHA-256, as by default.
@Timeout(120)
class ForeignUserAgentsIT {
  @TempDir Path directory;
  private BridgeRig rig;
  private final List<Process> processes = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    start("ims.test");
  }

  private void start(String domain) throws Exception {
    start(domain, text -> text.replace("domain: ims.test", "domain: " + domain));
  }

  private void start(String folder, UnaryOperator<String> edit) throws Exception {
    rig = new BridgeRig(Files.createDirectories(directory.resolve(folder)), 1, edit);
  }

  @AfterEach
  void stop() throws Exception {
    processes.forEach(Process::destroyForcibly);
    rig.close();
  }

  private static void needs(String program, String paket) {
    boolean found =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    assumeThat(found)
        .as("skipped: %s is not installed (apt-get install %s)", program, paket)
        .isTrue();
  }

  private Process run(Path output, String... words) throws IOException {
    Process process =
        new ProcessBuilder(words)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(output.toFile())
            .start();
    processes.add(process);
    return process;
  }

  private List<Binding> bindings(String user) {
    return rig.bridge.locations().bindings(user, rig.clock.instant());
  }

  private String address() {
    return "127.0.0.1:" + rig.bridge.sipPort();
  }

  @Test
  void sippRegistersOverUdpAndTcp() throws Exception {
    needs("sipp", "sip-tester");
    String users =
        "alice;[authentication username=alice password=alice-secret]\n"
            + "bob;[authentication username=bob password=bob-secret]\n";
    for (String transport : List.of("u1", "t1")) {
      sippRegisters("sipp-register.xml", users, 2, transport);
      assertThat(bindings("alice")).isNotEmpty();
      assertThat(bindings("bob")).isNotEmpty();
    }
  }

  /// Lets sipp register users, one after the other.
  ///
  /// @param scenario resource of this class
  /// @param users a line of sipp's input file for each
  /// @param transport sipp's name of it: u1 or t1
  private void sippRegisters(String scenario, String users, int count, String transport)
      throws Exception {
    Path file = directory.resolve("register.xml");
    try (var in = getClass().getResourceAsStream(scenario)) {
      Files.write(file, in.readAllBytes());
    }
    Path list = directory.resolve("users.csv");
    Files.writeString(list, "SEQUENTIAL\n" + users);
    Path output = directory.resolve("sipp-" + transport + ".txt");
    Process sipp =
        run(
            output,
            "sipp",
            address(),
            "-sf",
            file.toString(),
            "-inf",
            list.toString(),
            "-t",
            transport,
            "-m",
            String.valueOf(count),
            "-r",
            "10",
            "-i",
            "127.0.0.1",
            "-auth_uri",
            "ims.test",
            "-nostdin",
            "-timeout",
            "30s",
            "-timeout_error");
    assertThat(sipp.waitFor(60, TimeUnit.SECONDS)).isTrue();
    // sipp prints the octets of a card's answer.
    String said = Files.readString(output, StandardCharsets.ISO_8859_1);
    assertThat(sipp.exitValue()).as(said).isZero();
  }

  @Test
  void sippRegistersByACard() throws Exception {
    needs("sipp", "sip-tester");
    // sipp knows version 1 only, and reads one challenge: the first.
    // sipp reads a '[' among the octets as one of its own keywords.
    AkaKeys keys =
        AkaKeys.ofOp(
            HexFormat.of().parseHex("7375627363726962657220206b657931"),
            HexFormat.of().parseHex("6f70657261746f722d76617269616e74"),
            new byte[2]);
    rig.users.put(
        Subscriber.newBuilder()
            .setAccount("dora")
            .setCard(
                Card.newBuilder()
                    .setK(ByteString.copyFrom(keys.k()))
                    .setOpc(ByteString.copyFrom(keys.opc()))
                    .setAmf(ByteString.copyFrom(keys.amf())))
            .build());
    await().until(() -> rig.bridge.subscribers().isActive("dora"));
    String user =
        "dora;[authentication username=dora aka_K=0x7375627363726962657220206B657931"
            + " aka_OP=0x6F70657261746F722D76617269616E74 aka_AMF=0x0000]\n";
    sippRegisters("sipp-register-aka.xml", user, 1, "u1");
    assertThat(bindings("dora")).isNotEmpty();
  }

  @Test
  void sipsakAsksForOptionsAndRegisters() throws Exception {
    needs("sipsak", "sipsak");
    rig.close();
    start("127.0.0.1"); // sipsak resolves the domain that it registers with
    Path output = directory.resolve("sipsak.txt");
    Process options = run(output, "sipsak", "-s", "sip:" + address(), "-H", "127.0.0.1", "-vv");
    assertThat(options.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(output)).contains("200 OK");
    Process register =
        run(
            output,
            "sipsak",
            "-U",
            "-s",
            "sip:alice@" + address(),
            "-H",
            "127.0.0.1",
            "-u",
            "alice",
            "-a",
            "alice-secret",
            "-C",
            "sip:alice@127.0.0.1:5999",
            "-x",
            "600",
            "-vv");
    assertThat(register.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(bindings("alice")).as(Files.readString(output)).hasSize(1);
  }

  @Test
  void baresipRegistersAndTakesAMessage() throws Exception {
    needs("baresip", "baresip-core");
    Path modules = baresipModules();
    assumeThat(modules).as("skipped: baresip's modules were not found").isNotNull();
    int sip = freeUdpPort();
    int control = freeTcpPort();
    Path home = Files.createDirectories(directory.resolve("baresip"));
    Files.writeString(
        home.resolve("config"),
        """
        poll_method epoll
        sip_listen 127.0.0.1:%d
        net_interface 127.0.0.1
        module_path %s
        module g711.so
        module_tmp uuid.so
        module_tmp account.so
        module_app menu.so
        module_app ctrl_tcp.so
        ctrl_tcp_listen 127.0.0.1:%d
        ring_aufile none
        """
            .formatted(sip, modules, control));
    Files.writeString(
        home.resolve("accounts"),
        "<sip:bob@ims.test>;auth_user=bob;auth_pass=bob-secret;outbound=\"sip:%s\";regint=60;audio_codecs=PCMU\n"
            .formatted(address()));
    Files.writeString(home.resolve("contacts"), "");
    Path output = directory.resolve("baresip.txt");
    run(output, "baresip", "-4", "-s", "-f", home.toString(), "-t", "60");
    await().until(() -> !bindings("bob").isEmpty());

    UserAgent alice = rig.userAgent("alice", Transport.UDP, new UserAgentListener() {});
    assertThat(
            alice
                .sendMessage("bob", "text/plain", "to a stranger")
                .get(40, TimeUnit.SECONDS)
                .status())
        .as("baresip takes text/plain")
        .isEqualTo(200);
    assertThat(
            alice.sendMessage("bob", "application/json", "{}").get(40, TimeUnit.SECONDS).status())
        .as("and refuses JSON")
        .isEqualTo(415);
    assertThat(Files.readString(output)).contains("to a stranger");
  }

  /// Sends the bridge random and crafted garbage from a real fuzzer; afterwards all services work.
  @Test
  void sipsaksRandomMessagesChangeNothing() throws Exception {
    needs("sipsak", "sipsak");
    Process fuzz =
        run(
            directory.resolve("fuzz.txt"),
            "sipsak",
            "-R",
            "-t",
            "50",
            "-s",
            "sip:alice@" + address(),
            "-H",
            "127.0.0.1");
    if (!fuzz.waitFor(10, TimeUnit.SECONDS)) {
      fuzz.destroyForcibly();
    }
    try (DatagramSocket socket = new DatagramSocket()) {
      byte[] dos =
          ("OPTIONS sip:x@ims.test SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bKd (\\\r\n"
                  + "From: <sip:a@b>;tag=1\r\nTo: <sip:a@b>\r\nCall-ID: d\r\nCSeq: 1 OPTIONS\r\n"
                  + "Max-Forwards: 70\r\nContent-Length: 0\r\n\r\n")
              .getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 16; i++) {
        socket.send(
            new java.net.DatagramPacket(
                dos, dos.length, new InetSocketAddress("127.0.0.1", rig.bridge.sipPort())));
      }
    }
    await().until(() -> rig.counter("viaduct_sip_refused", "reason", "via_backslash") == 16);
    assertThat(rig.bridge.locations().size()).isZero();
    UserAgent alice = rig.userAgent("alice", Transport.UDP, new UserAgentListener() {});
    alice.register();
    await().until(() -> alice.state().isRegistered());
  }

  private static Path baresipModules() throws IOException {
    try (Stream<Path> found =
        Files.find(
            Path.of("/usr/lib"), 4, (path, _) -> path.endsWith("baresip/modules/account.so"))) {
      return found.findFirst().map(Path::getParent).orElse(null);
    }
  }

  private static int freeUdpPort() throws IOException {
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      return socket.getLocalPort();
    }
  }

  private static int freeTcpPort() throws IOException {
    try (var socket = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket unused = new Socket()) {
      return socket.getLocalPort();
    }
  }
}
