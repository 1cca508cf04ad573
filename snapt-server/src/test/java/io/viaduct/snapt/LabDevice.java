package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.viaduct.host.tun.TunDevice;
import io.viaduct.host.tun.TunSettings;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.Welcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Scanner;

/// A device as a process in its own namespace, with TUN and tunnel. Reads commands from standard
/// input and answers each with one line. Arguments: address and control port of the SNAPT,
/// authority, device key file, token file.
public final class LabDevice {
  private static final LabTelephone TELEPHONE = new LabTelephone();

  private LabDevice() {}

  public static void main(String[] arguments) throws Exception {
    InetSocketAddress snapt = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
    KeyPair device = Ed25519.readPair(Path.of(arguments[3]));
    ByteString token = ByteString.copyFrom(Files.readAllBytes(Path.of(arguments[4])));
    try (TestControl control = new TestControl(snapt, Path.of(arguments[2]))) {
      control.send(control.hello(token, device).build());
      ControlMessage answer = control.next();
      if (answer == null || !answer.hasWelcome()) {
        say("refused " + answer);
        return;
      }
      Welcome welcome = answer.getWelcome();
      try (TestTunnel tunnel =
          new TestTunnel(
              welcome,
              new InetSocketAddress(snapt.getAddress(), welcome.getDataPort()),
              new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0))) {
        TunDevice tun = TunDevice.open(new TunSettings("dev0", 1));
        String mtu = String.valueOf(TestTunnel.innerMtu(welcome));
        run("ip", "link", "set", "dev", "dev0", "mtu", mtu, "up");
        run("ip", "address", "add", "10.64.0.2/32", "dev", "dev0");
        run("ip", "-6", "address", "add", "fdaa::2/128", "dev", "dev0", "nodad");
        run("ip", "route", "add", "198.51.100.0/24", "dev", "dev0", "src", "10.64.0.2");
        run("ip", "-6", "route", "add", "2001:db8:51::/64", "dev", "dev0", "src", "fdaa::2");
        tunnel.attach(tun.queues().getFirst());
        say("up " + welcome.getSessionId());
        obey(tunnel);
      }
    }
  }

  private static void obey(TestTunnel tunnel) {
    Scanner commands = new Scanner(System.in);
    while (commands.hasNextLine()) {
      String[] words = commands.nextLine().split(" ");
      try {
        say(
            switch (words[0]) {
              case "tcp" -> tcp(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
              case "udp" -> udp(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
              case "open" -> TELEPHONE.open(Integer.parseInt(words[1]), words[2]);
              case "say" -> TELEPHONE.say(words[1], Integer.parseInt(words[2]), words[3]);
              case "heard" -> TELEPHONE.heard();
              case "route" -> route(words[1]);
              case "knock" -> knock(words[1], Integer.parseInt(words[2]));
              case "dial" -> dial(words[1], Integer.parseInt(words[2]));
              case "raw" -> raw(tunnel, words[1]);
              case "ping" -> run("ping", "-c", "3", "-i", "0.2", "-W", "2", words[1]);
              default -> "unknown " + words[0];
            });
      } catch (Exception e) {
        say("failed " + e);
      }
    }
  }

  private static String tcp(String host, int port, int bytes) throws IOException {
    try (Socket socket = new Socket(host, port)) {
      socket.setSoTimeout(20_000);
      byte[] text = text(bytes);
      Thread writer =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  OutputStream out = socket.getOutputStream();
                  out.write(text);
                  socket.shutdownOutput();
                } catch (IOException e) {
                  say("failed " + e);
                }
              });
      InputStream in = socket.getInputStream();
      byte[] echoed = in.readAllBytes();
      writer.join();
      return Arrays.equals(text, echoed) ? "ok" : "differs " + echoed.length;
    } catch (InterruptedException e) {
      return "failed " + e;
    }
  }

  private static String udp(String host, int port, int count) throws IOException {
    int back = 0;
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.setSoTimeout(2_000);
      InetSocketAddress to = new InetSocketAddress(host, port);
      byte[] text = text(500);
      for (int i = 0; i < count; i++) {
        socket.send(new DatagramPacket(text, text.length, to));
        DatagramPacket echo = new DatagramPacket(new byte[2048], 2048);
        socket.receive(echo);
        back += Arrays.equals(text, Arrays.copyOf(echo.getData(), echo.getLength())) ? 1 : 0;
      }
    }
    return back == count ? "ok" : "back " + back;
  }

  private static String route(String to) throws Exception {
    String source = to.contains(":") ? "fdaa::2" : "10.64.0.2";
    return run("ip", "route", "replace", to, "dev", "dev0", "src", source);
  }

  // Only a connected socket reports ICMP errors.
  private static String knock(String host, int port) throws IOException {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.setSoTimeout(700);
      socket.connect(new InetSocketAddress(host, port));
      socket.send(new DatagramPacket(new byte[9], 9));
      socket.receive(new DatagramPacket(new byte[9], 9));
      return "answered";
    } catch (SocketTimeoutException _) {
      return "silent";
    } catch (PortUnreachableException _) {
      return "closed";
    } catch (SocketException e) {
      return prohibited(e);
    }
  }

  private static String dial(String host, int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), 5_000);
      return "answered";
    } catch (SocketTimeoutException _) {
      return "silent";
    } catch (ConnectException _) {
      return "closed";
    } catch (SocketException e) {
      return prohibited(e);
    }
  }

  // Linux reports ICMP type 3 code 13 as EHOSTUNREACH, and ICMPv6 type 1 code 1 as EACCES.
  private static String prohibited(SocketException e) {
    String words = String.valueOf(e.getMessage());
    return words.contains("No route to host") || words.contains("Permission denied")
        ? "prohibited"
        : "failed " + e;
  }

  // Sends a packet that the kernel's sockets cannot send.
  private static String raw(TestTunnel tunnel, String packet) throws Exception {
    tunnel.send(HexFormat.of().parseHex(packet));
    return "sent";
  }

  private static byte[] text(int bytes) {
    byte[] text = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      text[i] = (byte) ("the quick brown fox ".charAt(i % 20) + (i / 997) % 3);
    }
    return text;
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes()).replace('\n', '|');
    return process.waitFor() == 0 ? "ok" : "failed " + String.join(" ", command) + ": " + said;
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
