package io.viaduct.snapt;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// A correspondent node as a process: echoes TCP and UDP on port 9000, and answers UDP on port 9001
/// with the address and port that it comes from, as STUN does.
public final class LabServer {
  private LabServer() {}

  public static void main(String[] arguments) throws IOException {
    ServerSocket server = new ServerSocket(9000);
    DatagramSocket datagrams = new DatagramSocket(9000);
    DatagramSocket mirror = new DatagramSocket(9001);
    Thread.ofPlatform().daemon().start(() -> answer(datagrams, false));
    Thread.ofPlatform().daemon().start(() -> answer(mirror, true));
    System.out.println("up");
    System.out.flush();
    while (true) {
      Socket socket = server.accept();
      Thread.ofVirtual().start(() -> echo(socket));
    }
  }

  private static void echo(Socket socket) {
    try (socket) {
      socket.getInputStream().transferTo(socket.getOutputStream());
    } catch (IOException _) {
      // the device has disconnected, which its test will report
    }
  }

  private static void answer(DatagramSocket socket, boolean withAddress) {
    try {
      DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
      while (true) {
        packet.setLength(65_536);
        socket.receive(packet);
        if (withAddress) {
          String from = packet.getAddress().getHostAddress() + " " + packet.getPort();
          byte[] text = from.getBytes(StandardCharsets.US_ASCII);
          socket.send(new DatagramPacket(text, text.length, packet.getSocketAddress()));
        } else {
          socket.send(packet);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
