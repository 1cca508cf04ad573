package io.viaduct.testbed.moving;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/// A program of a device: prints the source address that the kernel chooses towards a host, and
/// whether a connection to the host is made with the same one.
public final class SourceAddress {
  private static final int PATIENCE_MS = 5_000;

  private SourceAddress() {}

  /// Returns a command line that runs the program.
  static List<String> command(String host, int port) {
    return program(host, String.valueOf(port));
  }

  /// Returns a command line that accepts connections at a port of all addresses until it is killed.
  /// It prints a line when it listens.
  static List<String> listener(int port) {
    return program(String.valueOf(port));
  }

  private static List<String> program(String... arguments) {
    List<String> words =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SourceAddress.class.getName()));
    words.addAll(List.of(arguments));
    return words;
  }

  private static void listen(int port) throws IOException {
    try (ServerSocket server = new ServerSocket(port)) {
      System.out.println("listening");
      while (true) {
        server.accept().close();
      }
    }
  }

  /// @param arguments address and port of the host; the port alone to listen
  public static void main(String[] arguments) throws IOException {
    if (arguments.length == 1) {
      listen(Integer.parseInt(arguments[0]));
    }
    var to = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
    String chosen;
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(to);
      chosen = socket.getLocalAddress().getHostAddress();
    }
    System.out.println(chosen + (connects(to, chosen) ? " connected" : " not connected"));
  }

  private static boolean connects(InetSocketAddress to, String from) {
    try (Socket socket = new Socket()) {
      socket.connect(to, PATIENCE_MS);
      return socket.getLocalAddress().getHostAddress().equals(from);
    } catch (IOException e) {
      System.err.println(e);
      return false;
    }
  }
}
