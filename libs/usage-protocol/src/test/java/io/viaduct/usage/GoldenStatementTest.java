package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.statement.MerkleTree;
import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.statement.StatementReceipt;
import io.viaduct.usage.statement.StatementRoot;
import java.security.MessageDigest;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Compares the hashes of signed statements in docs/protocol.md, which another program has
/// computed, with those of the code.
class GoldenStatementTest {
  private static String hex(ByteString bytes) {
    return HexFormat.of().formatHex(bytes.toByteArray());
  }

  @Test
  void thePageShowsTheHashesThatTheCodeComputes() throws Exception {
    byte[] salt = new byte[32];
    for (byte i = 0; i < salt.length; i++) {
      salt[i] = i;
    }
    ByteString genesis = StatementReceipt.genesis("alice", ByteString.copyFrom(salt));
    ByteString charges =
        StatementCharge.digest(
            List.of(new StatementCharge(17, 1, "web", "HT_HD", 450_000, 1000, 300, 20, 10, 0)));
    ByteString report =
        ByteString.copyFrom(
            MessageDigest.getInstance("SHA-256").digest("report".getBytes("US-ASCII")));
    StatementReceipt receipt =
        new StatementReceipt(
            1,
            genesis,
            1_790_000_060_000_000L,
            "CORRECTION",
            "report:snapt-1/s/7/2",
            "snapt-1/s/7/2",
            -730,
            -730,
            report,
            charges);
    ByteString leaf = StatementRoot.leaf(genesis, 1, receipt.hash());
    ByteString other = StatementRoot.leaf(genesis, 1, genesis);
    StatementRoot root =
        new StatementRoot(
            LocalDate.of(2026, 11, 26),
            2,
            MerkleTree.levels(List.of(leaf, other)).getLast().getFirst(),
            ByteString.EMPTY);
    assertThat(GoldenPage.messages())
        .containsEntry("statement-genesis", hex(genesis))
        .containsEntry("statement-charges", hex(charges))
        .containsEntry("statement-receipt", hex(receipt.hash()))
        .containsEntry("statement-leaf", hex(leaf))
        .containsEntry("statement-root", hex(root.hash()));
  }

  @Test
  void eachProofLeadsToTheRootAndNoOtherLeafOrPositionDoes() {
    List<ByteString> leaves = new ArrayList<>();
    ByteString seed = ByteString.copyFromUtf8("seed");
    for (int size = 1; size <= 20; size++) {
      leaves.add(StatementRoot.leaf(seed, size, seed));
      List<List<ByteString>> levels = MerkleTree.levels(leaves);
      ByteString root = levels.getLast().getFirst();
      for (int i = 0; i < size; i++) {
        List<ByteString> proof = MerkleTree.proof(levels, i);
        assertThat(MerkleTree.root(leaves.get(i), i, size, proof)).contains(root);
        assertThat(MerkleTree.root(seed, i, size, proof)).isPresent().get().isNotEqualTo(root);
        assertThat(MerkleTree.root(leaves.get(i), size, size, proof)).isEmpty();
        if (size > 1) {
          assertThat(MerkleTree.root(leaves.get(i), i, size, proof.subList(1, proof.size())))
              .isEmpty();
          assertThat(
                  MerkleTree.root(leaves.get(i), i ^ 1, size, proof)
                      .equals(MerkleTree.root(leaves.get(i), i, size, proof)))
              .isFalse();
        }
      }
    }
  }
}
