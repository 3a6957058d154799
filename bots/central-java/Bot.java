import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** The reply in the middle of the list: cells are listed row by row, so it tends to the middle of the board. */
public final class Bot {
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("? ")) {
                String[] parts = line.split(" \\| "); // the prompt, then the replies
                System.out.println(parts[parts.length / 2]);
                System.out.flush();
            }
        }
    }
}
