package io.viaduct.webgui.bridge;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.util.List;

/// The bridge's list of SNAPTs, read with the operators' token of the configuration.
public final class SnaptDirectory {
  private final JsonPeer peer;
  private final BearerToken token;

  public SnaptDirectory(JsonPeer peer, BearerToken token) {
    this.peer = peer;
    this.token = token;
  }

  public List<Snapt> snapts() {
    return peer.get("/snapts", token, Answer.class).snapts();
  }

  record Answer(List<Snapt> snapts) {
    Answer {
      snapts = List.copyOf(snapts);
    }
  }
}
