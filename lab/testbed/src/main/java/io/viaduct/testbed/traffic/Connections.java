package io.viaduct.testbed.traffic;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// A means to make connections with a byte stream each way. Sockets belong to the network namespace
/// of the thread that opens them.
public interface Connections {
  /// Longest wait for a connection or for bytes, in ms.
  int TIMEOUT_MS = 30_000;

  /// Listens on all addresses.
  ///
  /// @param port 0 for any
  Listener listen(int port) throws IOException;

  Connection connect(InetSocketAddress to) throws IOException;

  /// Accepts connections.
  interface Listener extends Closeable {
    int port();

    Connection accept() throws IOException;
  }

  /// An end of a connection.
  interface Connection extends Closeable {
    InputStream in() throws IOException;

    OutputStream out() throws IOException;
  }

  /// TCP as Java offers it.
  Connections TCP =
      new Connections() {
        @Override
        public Listener listen(int port) throws IOException {
          ServerSocket listener = new ServerSocket(port);
          listener.setSoTimeout(TIMEOUT_MS);
          return new TcpListener(listener);
        }

        @Override
        public Connection connect(InetSocketAddress to) throws IOException {
          return TcpConnection.of(new Socket(to.getAddress(), to.getPort()));
        }
      };

  /// @param socket listens
  record TcpListener(ServerSocket socket) implements Listener {
    @Override
    public int port() {
      return socket.getLocalPort();
    }

    @Override
    public Connection accept() throws IOException {
      return TcpConnection.of(socket.accept());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /// @param socket is connected
  record TcpConnection(Socket socket) implements Connection {
    private static TcpConnection of(Socket socket) throws IOException {
      socket.setSoTimeout(TIMEOUT_MS);
      return new TcpConnection(socket);
    }

    @Override
    public InputStream in() throws IOException {
      return socket.getInputStream();
    }

    @Override
    public OutputStream out() throws IOException {
      return socket.getOutputStream();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /// Returns the address of a name or of an address in text.
  static InetSocketAddress address(String host, int port) throws IOException {
    return new InetSocketAddress(InetAddress.getByName(host), port);
  }
}
