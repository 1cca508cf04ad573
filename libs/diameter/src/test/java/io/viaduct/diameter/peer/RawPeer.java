package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.Messages;
import io.viaduct.diameter.message.Verdict;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;

/// A TCP connection that sends what it is told to.
final class RawPeer implements AutoCloseable {
  private final Socket socket;

  RawPeer(int port) throws IOException {
    socket = new Socket(Nodes.loopback(port).getAddress(), port);
    socket.setSoTimeout(20_000);
  }

  void send(String hex) throws IOException {
    send(Messages.hex(hex));
  }

  void send(byte[] octets) throws IOException {
    socket.getOutputStream().write(octets);
  }

  DiameterMessage receive() throws IOException {
    byte[] start = socket.getInputStream().readNBytes(4);
    int length = ByteBuffer.wrap(start).getInt() & 0xFF_FFFF;
    byte[] rest = socket.getInputStream().readNBytes(length - 4);
    byte[] octets = ByteBuffer.allocate(length).put(start).put(rest).array();
    return ((Verdict.Accepted) Messages.READER.read(octets)).message();
  }

  /// Returns true when the other end has closed the connection.
  boolean isEnded() throws IOException {
    return socket.getInputStream().read() < 0;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
