//! Texts of the area `source`: sources and the tools that render them.

crate::messages! { "source";
    NO_POLICY = "{object} is a policy of no known system; files of services belong under desired.services", "{object} 不属于任何已知系统的策略；服务的文件应放在 desired.services 下";
    YAML_SYNTAX = "This is no YAML: {cause}. Nothing of the file is used until that is mended.", "这不是合法的 YAML：{cause}。修正之前，整个文件都不会被使用。";
    YAML_TOO_LARGE = "This is more than is read: {cause}. Split the file.", "超出可读取的上限：{cause}。请拆分该文件。";
    YAML_TOO_DEEP = "This is nested too deep to be a manifest: {cause}.", "嵌套过深，不可能是清单：{cause}。";
    YAML_TOO_REPETITIVE = "The aliases of this document unfold to too much: {cause}. kubectl refuses it as well.", "该文档的别名展开后过大：{cause}。kubectl 同样会拒绝它。";
    YAML_CONTROL = "No Kubernetes tool reads this file: {cause}. Write the character as an escape in double quotes.", "没有任何 Kubernetes 工具能读取该文件：{cause}。请在双引号内用转义写出该字符。";
    YAML_SEPARATOR = "Kubernetes tools stop here: {cause}. Put what follows on a line of its own, or indent it.", "Kubernetes 工具会在此处停止：{cause}。请将其后的内容另起一行，或加以缩进。";
    YAML_DUPLICATE_KEY = "One of two values would be lost without a word: {cause}. Remove one.", "两个值之一会被悄悄丢弃：{cause}。请删除其中一个。";
    YAML_KEY_IS_NO_TEXT = "This has no JSON form: {cause}. Fill in the template, or quote the text.", "它没有对应的 JSON 形式：{cause}。请填充模板，或给该文本加上引号。";
    YAML_NOT_FINITE = "This has no JSON form: {cause}. Quote it if a text is meant.", "它没有对应的 JSON 形式：{cause}。若本意是文本，请加上引号。";
    YAML_TAG = "The value does not fit its tag: {cause}.", "该值与其标签不符：{cause}。";
    YAML_ALIAS_IN_ITSELF = "This would never end: {cause}.", "这会无限展开：{cause}。";
    YAML_MERGE = "The merge key << has nothing to merge: {cause}.", "合并键 << 没有可合并的内容：{cause}。";
    DOCUMENT_NO_JSON = "Manifest defect in {object}: the document has no JSON form, so no Kubernetes tool reads it: {cause}. It is left out; the rest of the file is used.", "{object} 的清单有缺陷：该文档没有对应的 JSON 形式，任何 Kubernetes 工具都无法读取：{cause}。已略过它，文件的其余部分照常使用。";
    DOCUMENT_BROKEN = "Manifest defect in {object}: {cause}. The document is left out; the rest of the file is used.", "{object} 的清单有缺陷：{cause}。已略过该文档，文件的其余部分照常使用。";
    DOCUMENT_NO_MAP = "Document {object} is a list, a text or a number, and so no object; it is left out.", "文档 {object} 是列表、文本或数字，不是对象，已略过。";
    DOCUMENT_NO_API_VERSION = "Document {object} has no apiVersion, and so is no object; it is left out.", "文档 {object} 没有 apiVersion，不是对象，已略过。";
    DOCUMENT_NO_KIND = "Document {object} has no kind, and so is no object; it is left out.", "文档 {object} 没有 kind，不是对象，已略过。";
    FILE_UNREADABLE = "The file cannot be read: {cause}.", "无法读取该文件：{cause}。";
    FILE_NOT_THERE = "There is no such file or folder: {cause}. Correct the path of the source.", "没有这样的文件或文件夹：{cause}。请修正来源的路径。";
    FILE_WIDE = "The file is written in UTF-16, which kubectl reads only in part. Save it as UTF-8.", "该文件使用 UTF-16 编码，kubectl 只能读取其中一部分。请另存为 UTF-8。";
    FILE_NOT_UTF8 = "The file is no UTF-8 text. Save it as UTF-8.", "该文件不是 UTF-8 文本。请另存为 UTF-8。";
    FILE_TOO_LARGE = "The file has {bytes} bytes, more than the {most} that are read. Split it.", "该文件有 {bytes} 字节，超出可读取的 {most} 字节。请拆分它。";
    FILE_NO_REGULAR = "This is neither a file nor a folder (a device, a socket or a pipe); it is left out.", "它既不是文件也不是文件夹（而是设备、套接字或管道），已略过。";
    LINK_OUTSIDE = "The link leads out of the folder, to {target}; it is not followed. Copy the file, or name the other folder as a source.", "该链接指向文件夹之外（{target}），不会跟随。请复制该文件，或将另一个文件夹列为来源。";
    LINK_BROKEN = "The link leads nowhere: {cause}; it is left out.", "该链接没有指向任何内容：{cause}，已略过。";
    FOLDER_EMPTY = "There is no *.yaml, *.yml or *.json file here or below (hidden ones do not count). Correct the path of the source.", "此处及其下没有 *.yaml、*.yml 或 *.json 文件（隐藏文件不计）。请修正来源的路径。";
    FOLDER_TOO_MANY = "There are more than {most} files here; none of them is read. Name a smaller folder as the source.", "此处的文件超过 {most} 个，均未读取。请将更小的文件夹列为来源。";
    FOLDER_TOO_LARGE = "The files here have more than {most} bytes together; the source is not read. Name a smaller folder as the source.", "此处的文件总计超过 {most} 字节，未读取该来源。请将更小的文件夹列为来源。";
    FOLDER_TOO_DEEP = "Folders are nested deeper than {most} here; what lies below is left out.", "此处的文件夹嵌套超过 {most} 层，更深处已略过。";
    // Tools that render.
    NO_TOOL = "none of these programs is on the PATH: {tools}; install one of them", "PATH 中没有这些程序：{tools}；请安装其中之一";
    TOOL_NOT_STARTED = "{tool} could not be run: {detail}", "无法运行 {tool}：{detail}";
    TOOL_TOO_SLOW = "{tool} was ended because it ran longer than {seconds} s; run it by hand to see what it waits for", "{tool} 运行超过 {seconds} 秒，已被终止；请手动运行以查看它在等待什么";
    TOOL_SILENT = "{tool} ended without saying why ({status}); run it by hand to see", "{tool} 未说明原因就结束了（{status}）；请手动运行以查看";
    NO_POLICIES = "there is neither a file nor a folder {path}, and nothing fits it; correct the path, or take it out", "没有名为 {path} 的文件或文件夹，也没有任何文件与之匹配；请更正路径或将其删除";
    TOOL_FAILED = "{tool} says: {detail}", "{tool} 报告：{detail}";
    TOOL_TOO_MUCH = "{tool} printed more than {bytes} bytes; that is more than is read", "{tool} 的输出超过 {bytes} 字节，超出可读取的上限";
    TOOL_NO_TEXT = "{tool} printed something that is no UTF-8 text", "{tool} 的输出不是 UTF-8 文本";
    NO_SCRATCH = "cannot be written: {detail}", "无法写入：{detail}";
    RENDERED_NOT_YAML = "{tool} rendered something that is no valid YAML (line {line} of its output): {detail}", "{tool} 渲染的结果不是有效的 YAML（输出第 {line} 行）：{detail}";
    NO_FOLDER = "there is no such folder", "没有这个文件夹";
    NO_KUSTOMIZATION = "there is no kustomization.yaml, kustomization.yml or Kustomization in this folder", "此文件夹中没有 kustomization.yaml、kustomization.yml 或 Kustomization";
    NO_CHART = "there is no Chart.yaml in this folder", "此文件夹中没有 Chart.yaml";
    REMOTE_BASE = "{what} lies in another repository; nothing is fetched while rendering: copy it beside this folder and name it by its path", "{what} 位于另一个仓库；渲染时不会下载任何内容：请将其复制到此文件夹旁并用路径引用";
    NO_SUCH_OBJECT = "the source has no object {object}", "该来源中没有对象 {object}";
    NO_SUCH_FIELD = "{object} has no value at {path}", "{object} 在 {path} 处没有值";
    // Git revisions.
    GIT_NO_REVISION = "the repository {repository} has no revision {revision}: {cause}; fetch it, or correct the revision", "仓库 {repository} 中没有版本 {revision}：{cause}；请先拉取，或修正该版本";
    GIT_ODD_REVISION = "{revision} can be no revision: a revision neither begins with a dash nor holds control characters", "{revision} 不可能是版本：版本既不以短横线开头，也不含控制字符";
    GIT_NO_PATH = "revision {revision} has nothing at {path}; correct the path or the revision", "版本 {revision} 中没有 {path}；请修正路径或版本";
    GIT_TOO_LARGE = "revision {revision} holds more than {most} below {path}; name a smaller folder, or make a repository of its own for the manifests", "版本 {revision} 中 {path} 之下的内容超过 {most}；请指定更小的文件夹，或为清单单独建立仓库";
    GIT_ODD_OUTPUT = "git answered something that is not understood: {cause}", "git 返回了无法理解的内容：{cause}";
}
